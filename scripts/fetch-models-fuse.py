#!/usr/bin/env python3
"""Write a BERT encoder with fused attention and without a mask.

    fetch-models-fuse.py IN.onnx OUT.onnx HEADS

Attention as exported is a dozen nodes a layer that move every score through
memory several times, and a mask that is added to each. Here each layer's
attention becomes one MultiHeadAttention node. The mask goes: such a model is
run on texts of one length at a time. Weights are not touched.

Needs the Python packages onnx and numpy.
"""

import sys

import onnx
from onnx import helper

THROUGH = {"Mul", "Div", "Transpose", "Reshape", "Add", "Cast", "Where"}


class Graph:
    """A model with its edges."""

    def __init__(self, path):
        self.model = onnx.load(path)
        self.nodes = list(self.model.graph.node)
        self.constants = {t.name for t in self.model.graph.initializer}
        self.made_by = {out: node for node in self.nodes for out in node.output}
        self.used_by = {}
        for node in self.nodes:
            for name in node.input:
                self.used_by.setdefault(name, []).append(node)

    def bias_above(self, name):
        """The output of the nearest node above that adds a bias: a query, key or value."""
        node = self.made_by[name]
        while not (node.op_type == "Add" and any(i in self.constants for i in node.input)):
            node = next(self.made_by[i] for i in node.input if i in self.made_by and self.made_by[i].op_type in THROUGH)
        return node.output[0]

    def fuse(self, softmax, heads):
        """Put one node in the place of the attention around `softmax`."""
        above = self.made_by[softmax.input[0]]
        while above.op_type != "MatMul":
            above = next(self.made_by[i] for i in above.input
                         if i in self.made_by and self.made_by[i].op_type in {"MatMul", "Div", "Mul", "Add", "Where"}
                         and self.reaches_matmul(i))
        mix = self.used_by[softmax.output[0]][0]
        query, key = (self.bias_above(i) for i in above.input)
        value = self.bias_above(next(i for i in mix.input if i != softmax.output[0]))
        turned = self.used_by[mix.output[0]][0]
        joined = self.used_by[turned.output[0]]
        joined = next(n for n in joined if n.op_type == "Reshape")
        assert turned.op_type == "Transpose"
        fused = helper.make_node("MultiHeadAttention", [query, key, value], list(joined.output),
                                 domain="com.microsoft", num_heads=heads)
        self.nodes[self.nodes.index(joined)] = fused

    def reaches_matmul(self, name):
        node = self.made_by.get(name)
        return node is not None and (node.op_type == "MatMul" or any(
            self.reaches_matmul(i) for i in node.input) if node.op_type in {"MatMul", "Div", "Mul", "Add"} else False)

    def drop_unused(self):
        """Take out what no output needs any more."""
        graph = self.model.graph
        while True:
            needed = {i for n in self.nodes for i in n.input} | {o.name for o in graph.output}
            kept = [n for n in self.nodes if any(out in needed for out in n.output)]
            if len(kept) == len(self.nodes):
                break
            self.nodes = kept
        for field in (graph.initializer, graph.input):
            for item in [item for item in field if item.name not in needed]:
                field.remove(item)
        del graph.node[:]
        graph.node.extend(self.nodes)
        del graph.value_info[:]


def main():
    source, target, heads = sys.argv[1:]
    graph = Graph(source)
    softmaxes = [n for n in graph.nodes if n.op_type == "Softmax"]
    for softmax in softmaxes:
        graph.fuse(softmax, int(heads))
    outputs = graph.model.graph.output
    for extra in list(outputs)[1:]:
        outputs.remove(extra)
    graph.drop_unused()
    graph.model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    onnx.save(graph.model, target)
    print(f"{target}: {len(softmaxes)} attentions fused, inputs {[i.name for i in graph.model.graph.input]}")


if __name__ == "__main__":
    main()
