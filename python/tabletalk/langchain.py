"""LangChain: a retriever over a library, and a tool that answers questions about its tables.

    from tabletalk.langchain import TabletalkRetriever, tabletalk_tool

    retriever = TabletalkRetriever(library=library, k=4)
    documents = retriever.invoke("late deliveries")
    agent = create_agent(model, tools=[tabletalk_tool(library)])

Needs ``langchain-core``: ``pip install tabletalk[langchain]``.
"""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import StructuredTool
except ImportError as error:
    raise ImportError("tabletalk.langchain needs langchain-core; pip install langchain-core") from error

from pydantic import ConfigDict, Field

from .answers import Answer
from .interface import Interface
from .things import Hit

_DESCRIPTION = (
    "Answers a question about the tables and documents in the library by computing over all rows, "
    "and names the cells that the answer rests on. Ask in plain words, one question at a time."
)


class TabletalkRetriever(BaseRetriever):
    """Finds tables and passages by words and by meaning."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    library: Interface
    #: How many hits.
    k: int = 6
    #: Options of :meth:`tabletalk.Interface.search`, such as ``{"group": "row"}``.
    options: Dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> List[Document]:
        return [_document(hit) for hit in self.library.search(query, self.k, **self.options)]


def _document(hit: Hit) -> Document:
    metadata = {"source": hit.document, "place": hit.place, "group": hit.group, "score": hit.score}
    return Document(page_content=hit.text, metadata=metadata, id=hit.id)


def tabletalk_tool(library: Interface, *, name: str = "ask_tables", description: str = _DESCRIPTION, **options: Any) -> StructuredTool:
    """A tool that answers questions; ``options`` go to :meth:`tabletalk.Interface.ask`. Its artifact is the
    :class:`tabletalk.Answer`."""

    def ask(question: str) -> Tuple[str, Answer]:
        answer = library.ask(question, **options)
        return as_text(answer), answer

    return StructuredTool.from_function(ask, name=name, description=description, response_format="content_and_artifact")


def as_text(answer: Answer) -> str:
    """An answer for a language model: what was found, how it was computed, and where it stands."""
    lines = [answer.text]
    if answer.program:
        lines.append(f"Computed: {answer.program.words or answer.program.sql}")
    lines += [f"Source: {citation.place}: {citation.text}" for citation in answer.citations[:6]]
    return "\n".join(lines)
