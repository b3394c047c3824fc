"""LlamaIndex: a retriever and a query engine over a library, and a node parser that reads files with tables.

    from tabletalk.llama_index import TabletalkQueryEngine, TabletalkRetriever, TableNodeParser

    response = TabletalkQueryEngine(library).query("total freight by carrier")
    nodes = TabletalkRetriever(library, k=4).retrieve("late deliveries")
    index = VectorStoreIndex(TableNodeParser().get_nodes_from_documents(documents))

Needs ``llama-index-core``: ``pip install tabletalk[llama-index]``.
"""

from __future__ import annotations

import tempfile
from typing import Any, Dict, List, Optional, Sequence

try:
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.response.schema import Response
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import BaseNode, NodeRelationship, NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise ImportError("tabletalk.llama_index needs llama-index-core; pip install llama-index-core") from error

from .answers import Answer, Citation
from .errors import InputError
from .interface import Interface
from .library import Library
from .things import Hit


class TabletalkRetriever(BaseRetriever):
    """Finds tables and passages by words and by meaning; ``options`` go to :meth:`tabletalk.Interface.search`."""

    def __init__(self, library: Interface, k: int = 6, **options: Any) -> None:
        self._library, self._k, self._options = library, k, options
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> List[NodeWithScore]:
        hits = self._library.search(query_bundle.query_str, self._k, **self._options)
        return [NodeWithScore(node=_node(hit), score=hit.score) for hit in hits]


def _node(hit: Hit) -> TextNode:
    metadata = {"file_name": hit.document, "place": hit.place, "group": hit.group}
    return TextNode(id_=hit.id, text=hit.text, metadata=metadata)


class TabletalkQueryEngine(BaseQueryEngine):
    """Answers questions by computing over tables; ``options`` go to :meth:`tabletalk.Interface.ask`. The source nodes of a
    response are the cells that it rests on, and ``response.metadata["sql"]`` is how it was computed."""

    def __init__(self, library: Interface, **options: Any) -> None:
        self._library, self._options = library, options
        super().__init__(callback_manager=None)

    def _get_prompt_modules(self) -> Dict[str, Any]:
        return {}

    def _query(self, query_bundle: QueryBundle) -> Response:
        return _response(self._library.ask(query_bundle.query_str, **self._options))

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        return self._query(query_bundle)


def _response(answer: Answer) -> Response:
    cited = [_cited(citation, answer.confidence) for citation in answer.citations]
    metadata = {"outcome": answer.outcome, "confidence": answer.confidence, "sql": answer.sql}
    return Response(response=answer.text, source_nodes=cited, metadata=metadata)


def _cited(citation: Citation, confidence: float) -> NodeWithScore:
    metadata = {"file_name": citation.document, "place": citation.place}
    return NodeWithScore(node=TextNode(text=citation.text, metadata=metadata), score=confidence)


class TableNodeParser(NodeParser):
    """Makes one node of each table, with its title, its header and its rows, and one of each passage of text.

    A document whose metadata has ``file_path`` is read from that file, whatever its format; else its text is read as Markdown.
    """

    #: The most rows of a table that stand in its node.
    rows: int = 50
    #: How passages are cut, as a group of the library.
    passages: str = "medium"

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores it."""
        return "TableNodeParser"

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> List[BaseNode]:
        return [made for node in nodes for made in self._of_document(node)]

    def _of_document(self, node: BaseNode) -> List[BaseNode]:
        with tempfile.TemporaryDirectory(prefix="tabletalk") as folder:
            with Library(folder) as library:
                path: Optional[str] = node.metadata.get("file_path")
                given = {} if path else {"name": "document.md"}
                # Whoever parses embeds the nodes.
                report = library.add(path or node.get_content().encode(), embed=False, **given)
                if report.failed:
                    raise InputError(report.failed[0].error or "it cannot be read")
                tables = [(library.text(t.id, self.rows), t.place, "table") for t in library.tables()]
                passages = [(p.text, p.place, "passage") for p in library.passages(self.passages)]
                return [_made(node, *piece) for piece in tables + passages]


def _made(node: BaseNode, text: str, place: str, kind: str) -> BaseNode:
    made = TextNode(text=text, metadata={**node.metadata, "place": place, "kind": kind})
    made.relationships[NodeRelationship.SOURCE] = node.as_related_node_info()
    return made
