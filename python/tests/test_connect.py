"""A library behind a server: the same calls, against the real one."""

import datetime
import http.server
import threading

import pytest

import tabletalk


@pytest.fixture(scope="module")
def remote(server):
    with tabletalk.connect(server) as client:
        yield client


def test_it_answers_like_a_library_here(remote, library):
    for question in ("What is the average salary of site managers?", "total freight by carrier", "What is the salary of Zorro?"):
        here, there = library.ask(question), remote.ask(question)
        assert (there.outcome, there.values, there.sql) == (here.outcome, here.values, here.sql)
        assert [c.place for c in there.citations] == [c.place for c in here.citations]
    assert remote.verify("Suzhou has more staff than Rotterdam").verdict == "refuted"
    assert [h.place for h in remote.search("earnings", 2)] == [h.place for h in library.search("earnings", 2)]
    assert {t.name for t in remote.tables()} == {t.name for t in library.tables() if t.document != "rows"}
    assert {d.name for d in remote.documents()} == {d.name for d in library.documents()}
    assert remote.text("notes.txt") == library.text("notes.txt")


def test_statements_have_the_same_types(remote, library):
    statement = "SELECT name, hired, \"salary (EUR)\", hired > '2018-01-01' AS recent FROM staff ORDER BY name LIMIT 5"
    here, there = library.sql(statement), remote.sql(statement)
    assert there.rows == here.rows and there.kinds == here.kinds
    assert isinstance(there.rows[0][1], datetime.date)
    pytest.importorskip("pyarrow", reason="skipped, because pyarrow is not installed")
    assert there.to_arrow().equals(here.to_arrow())


def test_files_rows_and_frames_are_sent_and_forgotten(remote, tmp_path):
    folder = tmp_path / "folder"
    (folder / ".hidden").mkdir(parents=True)
    (folder / "cities.csv").write_text("city,people\nOslo,700\nParis,2100\n")
    (folder / ".hidden" / "x.csv").write_text("a,b\n1,2\n")
    seen = []
    report = remote.add(folder, on_progress=seen.append)
    assert [(d.name, d.status, d.rows) for d in report] == [("cities.csv", "added", 2)] and seen
    assert remote.sql("SELECT sum(people) FROM cities").scalar() == 2800
    remote.add([{"a": 1}, {"a": 2}], name="rows")
    assert remote.sql("SELECT sum(a) FROM rows").scalar() == 3
    assert len(remote.forget(["cities.csv", "rows.jsonl"])) == 2
    polars = pytest.importorskip("polars", reason="skipped, because polars is not installed")
    remote.add(polars.DataFrame({"n": list(range(1000))}), name="frame")
    assert remote.sql("SELECT sum(n) FROM frame").scalar() == 499500
    assert remote.forget("frame.parquet")


def test_a_stream_ends_with_the_answer(remote):
    with remote.stream("How many people work in Rotterdam?") as stream:
        assert "".join(stream) == "" and stream.answer.value == 12
    assert remote.ask("How many people work in Rotterdam?", on_text=print).value == 12


def test_errors_are_the_same(remote, server):
    with pytest.raises(tabletalk.InputError, match="no column `ttal`"):
        remote.sql("SELECT ttal FROM staff")
    with pytest.raises(tabletalk.MissingError):
        remote.forget("nothing.csv")
    with pytest.raises(tabletalk.MissingError):
        remote.add("/nowhere/at/all")
    with pytest.raises(tabletalk.InputError, match="question is empty"):
        remote.stream(" ").answer
    with pytest.raises(tabletalk.InputError, match="folders in step"):
        remote.sync("folder")
    with pytest.raises(tabletalk.InputError, match="not the address"):
        tabletalk.connect("127.0.0.1:7700")
    with pytest.raises(tabletalk.Error):
        tabletalk.connect(server, library="no-such-library").tables()
    with pytest.raises(tabletalk.UpstreamError, match="cannot be reached"):
        tabletalk.connect("http://127.0.0.1:9").tables()


def test_another_kind_of_server_is_recognised():
    class Other(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_error(404)

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Other) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        with pytest.raises(tabletalk.UpstreamError, match="answered 404"):
            tabletalk.connect(f"http://127.0.0.1:{other.server_port}").tables()
        other.shutdown()


def test_evaluate_works_over_the_wire(remote):
    assert tabletalk.evaluate(remote, [("How many people work in Rotterdam?", 12)]).accuracy == 1.0


def test_summaries_are_built_there(remote):
    assert remote.raptor(no_model=True).leaves > 1
    assert remote.sync().interrupted is False
