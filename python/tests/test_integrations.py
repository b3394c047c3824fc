"""The integrations, against the real packages."""

import pytest


def test_langchain(library):
    pytest.importorskip("langchain_core", reason="skipped, because langchain-core is not installed")
    from tabletalk.langchain import TabletalkRetriever, tabletalk_tool

    documents = TabletalkRetriever(library=library, k=2).invoke("earnings")
    assert len(documents) == 2 and documents[0].metadata["place"] == "sales.xlsx!Revenue!A3:N26"
    rows = TabletalkRetriever(library=library, k=1, options={"group": "cell", "target": "row"}).invoke("Marcus Chen")
    assert "Marcus Chen" in rows[0].page_content
    tool = tabletalk_tool(library, tables="staff")
    said = tool.invoke({"question": "How many people work in Rotterdam?"})
    assert said.startswith("12") and "staff.tsv!" in said
    call = {"name": tool.name, "args": {"question": "How many people work in Rotterdam?"}, "id": "1", "type": "tool_call"}
    assert tool.invoke(call).artifact.value == 12


def test_llama_index(library, world):
    pytest.importorskip("llama_index.core", reason="skipped, because llama-index-core is not installed")
    from llama_index.core.schema import Document
    from tabletalk.llama_index import TableNodeParser, TabletalkQueryEngine, TabletalkRetriever

    nodes = TabletalkRetriever(library, k=2).retrieve("earnings")
    assert nodes[0].metadata["place"] == "sales.xlsx!Revenue!A3:N26" and nodes[0].score > 0
    response = TabletalkQueryEngine(library).query("What is the average salary of site managers?")
    assert str(response).startswith("90100") and response.source_nodes[0].metadata["place"] == "staff.tsv!F2:F5"
    assert response.metadata["sql"].startswith("SELECT avg(")
    file = Document(text="", metadata={"file_path": str(world / "examples" / "sales.xlsx")})
    text = Document(text="# Cities\n\nWhere people live.\n\n| city | people |\n|---|---|\n| Oslo | 700 |\n")
    nodes = TableNodeParser().get_nodes_from_documents([file, text])
    tables = [n for n in nodes if n.metadata["kind"] == "table"]
    assert any("Nordics" in n.text for n in tables) and "| Oslo | 700 |" in tables[-1].text
    assert any(n.metadata["kind"] == "passage" and "Where people live" in n.text for n in nodes)
    assert tables[-1].source_node.node_id == text.node_id


def test_haystack(library):
    pytest.importorskip("haystack", reason="skipped, because haystack-ai is not installed")
    from haystack import Pipeline
    from tabletalk.haystack import TabletalkAnswerer, TabletalkRetriever

    pipeline = Pipeline()
    pipeline.add_component("retriever", TabletalkRetriever(library, top_k=2))
    pipeline.add_component("answerer", TabletalkAnswerer(library))
    question = "What is the average salary of site managers?"
    given = pipeline.run({"retriever": {"query": "earnings"}, "answerer": {"query": question}})
    assert given["retriever"]["documents"][0].meta["place"] == "sales.xlsx!Revenue!A3:N26"
    answer = given["answerer"]["answers"][0]
    assert answer.data.startswith("90100") and answer.documents[0].meta["place"] == "staff.tsv!F2:F5"
    again = TabletalkRetriever.from_dict(TabletalkRetriever(library, top_k=1).to_dict())
    assert len(again.run("earnings")["documents"]) == 1
    assert TabletalkAnswerer(library).run("What is the salary of Zorro?") == {"answers": []}
