"""Takes a bundled int8 ONNX encoder apart into a full-precision BertModel, and writes its trained layers with eight-bit weights.

The file is in the format of safetensors: eight bytes of length, JSON that names the tensors, then their bytes. A linear layer is
`NAME.weight`, int8 with the outputs of an input one after the other, `NAME.weight_scale`, what one is worth for each output, and
`NAME.bias`. Embeddings are not in it: they stay those of the encoder it was trained from, which `base` in the metadata names.
"""
import hashlib, json, struct
import numpy as np, onnx, torch
from onnx import numpy_helper
from transformers import BertConfig, BertModel

LINEAR = ('query.weight', 'key.weight', 'value.weight', 'dense.weight')


def config(folder):
    said = json.load(open(f'{folder}/config.json'))
    wanted = ('hidden_size', 'num_hidden_layers', 'num_attention_heads', 'intermediate_size', 'vocab_size', 'max_position_embeddings', 'type_vocab_size', 'layer_norm_eps', 'hidden_act')
    return BertConfig(**{key: said[key] for key in wanted}, attn_implementation='sdpa')


def load(folder, whole=True):
    """The encoder in `folder` with weights in full precision; where it is not whole, layers that are not there stay as they are made."""
    graph = onnx.load(f'{folder}/model.onnx').graph
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    # Multiplications are named by where they stand: /encoder/layer.0/output/dense/MatMul_quant
    products = {node.name.strip('/').rsplit('/', 1)[0]: node for node in graph.node if node.op_type in ('MatMul', 'MatMulInteger')}
    bert = BertModel(config(folder), add_pooling_layer=False)
    state = bert.state_dict()
    for key in state:
        place = key.removesuffix('.weight').replace('.', '/').replace('layer/', 'layer.')
        if not whole and key.startswith('encoder.') and key not in arrays and place not in products:
            continue
        if key.endswith(LINEAR):
            name = products[place].input[1]
            array = arrays[name] if name in arrays and arrays[name].dtype == np.float32 else arrays[name].astype(np.float32) * arrays[name.removesuffix('_quantized') + '_scale']
            state[key] = torch.tensor(array.T.copy())
        elif key in arrays:
            state[key] = torch.tensor(arrays[key].astype(np.float32))
        elif f'{key}_quantized' in arrays:
            plain = arrays[f'{key}_quantized'].astype(np.float32) - arrays[f'{key}_zero_point'].astype(np.float32)
            state[key] = torch.tensor(plain * arrays[f'{key}_scale'])
        elif not key.endswith('position_ids'):
            raise ValueError(f'{key} is not in {folder}/model.onnx')
    bert.load_state_dict(state)
    return bert


def begin(locator, path):
    """Gives a locator the layers and heads of a file, to train it further."""
    data = open(path, 'rb').read()
    size = struct.unpack('<Q', data[:8])[0]
    head, body = json.loads(data[8:8 + size]), data[8 + size:]
    kinds = {'I8': np.int8, 'F32': np.float32}
    arrays = {name: np.frombuffer(body[about['data_offsets'][0]:about['data_offsets'][1]], kinds[about['dtype']]).reshape(about['shape']) for name, about in head.items() if name != '__metadata__'}
    state = locator.bert.state_dict()
    for key in state:
        if key in arrays and arrays[key].dtype == np.int8:
            state[key] = torch.tensor((arrays[key].astype(np.float32) * arrays[f'{key}_scale']).T.copy())
        elif key in arrays:
            state[key] = torch.tensor(arrays[key].copy())
    locator.bert.load_state_dict(state)
    for i, name in enumerate(('row', 'column', 'program')):
        if f'{name}.weight' in arrays:
            layer = getattr(locator, name)
            layer.weight.data.copy_(torch.tensor(arrays[f'{name}.weight'].copy()).reshape(1, -1))
            layer.bias.data.copy_(torch.tensor(arrays[f'{name}.bias'].copy()))
            locator.none.data[i] = float(arrays[f'{name}.none'][0])


def quantised(weight):
    """Bytes, inputs first, and what one is worth for each output."""
    array = weight.detach().float().cpu().numpy().T
    scale = np.maximum(np.abs(array).max(0), 1e-9) / 127
    return np.clip(np.round(array / scale), -127, 127).astype(np.int8), scale.astype(np.float32)


def tensors(bert, heads):
    """What is written: the layers without embeddings, and the heads."""
    out = {}
    for key, value in bert.state_dict().items():
        if key.endswith(LINEAR):
            out[key], out[f'{key}_scale'] = quantised(value)
        elif key.startswith('encoder.'):
            out[key] = value.detach().float().cpu().numpy()
    return {**out, **{name: np.asarray(value, np.float32).reshape(-1) for name, value in heads.items()}}


def put_back(bert, written):
    """Gives the encoder the weights that were written, to measure what eight bits cost."""
    state = bert.state_dict()
    for key, value in written.items():
        if value.dtype == np.int8:
            state[key] = torch.tensor((value.astype(np.float32) * written[f'{key}_scale']).T.copy())
    bert.load_state_dict(state)


def write(path, tensors, metadata, part=14 << 20):
    """Writes the file in parts of at most `part` bytes, PATH.0 and so on, to be joined with cat; gives its sha256."""
    head, at, data = {'__metadata__': {k: str(v) for k, v in metadata.items()}}, 0, []
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name])
        head[name] = {'dtype': {'int8': 'I8', 'float32': 'F32'}[str(array.dtype)], 'shape': list(array.shape), 'data_offsets': [at, at + array.nbytes]}
        at += array.nbytes
        data.append(array.tobytes())
    text = json.dumps(head).encode()
    text += b' ' * (-len(text) % 8)
    whole = struct.pack('<Q', len(text)) + text + b''.join(data)
    for i in range(0, len(whole), part):
        open(f'{path}.{i // part}', 'wb').write(whole[i:i + part])
    return hashlib.sha256(whole).hexdigest(), len(whole)
