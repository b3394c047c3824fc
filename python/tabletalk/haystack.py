"""Haystack: components that find in a library and answer from it.

    from haystack import Pipeline
    from tabletalk.haystack import TabletalkAnswerer, TabletalkRetriever

    pipeline = Pipeline()
    pipeline.add_component("retriever", TabletalkRetriever("my-library", top_k=4))
    pipeline.run({"retriever": {"query": "late deliveries"}})

Needs ``haystack-ai``: ``pip install tabletalk[haystack]``.
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Union

try:
    from haystack import Document, GeneratedAnswer, component, default_from_dict, default_to_dict
except ImportError as error:
    raise ImportError("tabletalk.haystack needs haystack-ai; pip install haystack-ai") from error

from .answers import Citation
from .connection import Client
from .interface import Interface
from .library import Library
from .things import Hit

#: A library, its folder, or the address of a server.
Where = Union[Interface, str, "os.PathLike[str]"]


def _opened(library: Where) -> Interface:
    if isinstance(library, Interface):
        return library
    text = os.fspath(library)
    return Client(text) if text.startswith(("http://", "https://")) else Library(text, create=False)


def _address(library: Interface) -> str:
    return library.url if isinstance(library, Client) else str(getattr(library, "path", ""))


@component
class TabletalkRetriever:
    """Finds tables and passages by words and by meaning; ``options`` go to :meth:`tabletalk.Interface.search`."""

    def __init__(self, library: Where, top_k: int = 6, options: Optional[Dict[str, Any]] = None) -> None:
        self.library = _opened(library)
        self.top_k = top_k
        self.options = options or {}

    def to_dict(self) -> Dict[str, Any]:
        """The component as a dictionary."""
        return default_to_dict(self, library=_address(self.library), top_k=self.top_k, options=self.options)

    @classmethod
    def from_dict(cls, data: Dict[str, Any]) -> TabletalkRetriever:
        """The component of a dictionary."""
        return default_from_dict(cls, data)

    @component.output_types(documents=List[Document])
    def run(self, query: str, top_k: Optional[int] = None) -> Dict[str, List[Document]]:
        """The best tables and passages for a query."""
        hits = self.library.search(query, top_k or self.top_k, **self.options)
        return {"documents": [_document(hit) for hit in hits]}


def _document(hit: Hit) -> Document:
    meta = {"file": hit.document, "place": hit.place, "group": hit.group}
    return Document(id=hit.id, content=hit.text, meta=meta, score=hit.score)


@component
class TabletalkAnswerer:
    """Answers questions by computing over tables; ``options`` go to :meth:`tabletalk.Interface.ask`."""

    def __init__(self, library: Where, options: Optional[Dict[str, Any]] = None) -> None:
        self.library = _opened(library)
        self.options = options or {}

    def to_dict(self) -> Dict[str, Any]:
        """The component as a dictionary."""
        return default_to_dict(self, library=_address(self.library), options=self.options)

    @classmethod
    def from_dict(cls, data: Dict[str, Any]) -> TabletalkAnswerer:
        """The component of a dictionary."""
        return default_from_dict(cls, data)

    @component.output_types(answers=List[GeneratedAnswer])
    def run(self, query: str) -> Dict[str, List[GeneratedAnswer]]:
        """The answer, with the cells that it rests on as its documents; no answer where there is none."""
        answer = self.library.ask(query, **self.options)
        if not answer.values:
            return {"answers": []}
        documents = [_cited(citation) for citation in answer.citations]
        meta = {"confidence": answer.confidence, "sql": answer.sql, "values": answer.values}
        return {"answers": [GeneratedAnswer(data=answer.text, query=query, documents=documents, meta=meta)]}


def _cited(citation: Citation) -> Document:
    return Document(content=citation.text, meta={"file": citation.document, "place": citation.place})
