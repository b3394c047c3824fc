"""A library in this process."""

import io
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import tabletalk
from conftest import command


def test_an_answer_has_value_program_and_cells(library):
    answer = library.ask("What is the average salary of site managers?")
    assert answer and answer.value == 90100 and 0.5 < answer.confidence <= 1
    assert answer.program.rows_total == 40 and answer.program.rows_used == 4
    assert answer.sql.startswith("SELECT avg(")
    assert [c.place for c in answer.citations] == ["staff.tsv!F2:F5", "staff.tsv!C2:C5"]
    assert [s.step for s in answer.trace] and str(answer) == answer.text


def test_what_is_not_known_is_no_answer(library):
    answer = library.ask("What is the salary of Zorro?")
    assert not answer and answer.value is None and answer.outcome == "unknown"
    assert "Zorro" in answer.text


def test_statements_are_judged(library):
    refuted = library.verify("Suzhou has more staff than Rotterdam")
    assert refuted.verdict == "refuted" and refuted.supported is False and not refuted
    assert library.verify("Rotterdam has more staff than Suzhou").supported is True


def test_a_question_belongs_to_its_conversation(library):
    first = library.ask("How many people work in Rotterdam?", conversation="new")
    then = library.ask("and in Suzhou?", conversation=first.conversation)
    assert then.conversation == first.conversation and then.value != first.value


def test_groups_are_drawn_and_cells_cited_in_a_notebook(library):
    html = library.ask("total freight by carrier")._repr_html_()
    assert "<svg" in html and "DB Schenker" in html and "shipments.parquet!J1:J500" in html and "SELECT" in html
    assert "<svg" not in library.ask("How many people work in Rotterdam?")._repr_html_()
    assert "Rotterdam" in library.sql("SELECT DISTINCT site FROM staff")._repr_html_()


def test_what_stands_in_cells_is_text_in_html(tmp_path):
    with tabletalk.Library(tmp_path) as library:
        library.add(b"name,sold\n<script>alert(1)</script>,5\nb,6\n", name="x.csv")
        assert "<script>" not in library.ask("sold by name")._repr_html_()


def test_search_finds_by_meaning_and_takes_options(library):
    hit = library.search("earnings", k=1)[0]
    assert hit.document == "sales.xlsx" and hit.place == "sales.xlsx!Revenue!A3:N26" and hit.score > 0
    cells = library.search("Marcus Chen", 1, group="cell", target="row", similarity="bm25")
    assert "Marcus Chen" in cells[0].text and cells[0].document == "staff.tsv"
    with pytest.raises(TypeError, match="no option 'smilarity'"):
        library.search("x", smilarity="bm25")


def test_errors_say_whose_fault_it_is(library, tmp_path):
    with pytest.raises(tabletalk.MissingError) as raised:
        tabletalk.Library(tmp_path / "none", create=False)
    assert raised.value.kind == "missing" and raised.value.hint
    with pytest.raises(tabletalk.InputError, match="no column `ttal`"):
        library.sql("SELECT ttal FROM staff")
    with pytest.raises(tabletalk.InputError, match="question is empty"):
        library.ask("  ")
    with pytest.raises(tabletalk.MissingError):
        library.add("/nowhere/at/all")
    with pytest.raises(tabletalk.MissingError):
        library.forget("nothing.csv")
    assert issubclass(tabletalk.InputError, ValueError) and issubclass(tabletalk.StorageError, OSError)
    with pytest.raises(tabletalk.InputError, match="sql.rws"):
        tabletalk.Library(tmp_path / "l", config={"sql": {"rws": 1}})


def test_a_closed_library_says_so(tmp_path):
    library = tabletalk.Library(tmp_path)
    library.close()
    with pytest.raises(tabletalk.InputError, match="closed"):
        library.tables()
    assert repr(library) == "tabletalk.Library(closed)"


def test_sync_forgets_what_is_gone(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.csv").write_text("x,y\n1,2\n")
    with tabletalk.Library(tmp_path / "library") as library:
        library.add(folder, exclude="c.csv")
        assert sorted(d.name for d in library.documents()) == ["a.csv", "b.csv"]
        library.sync(folder)
        (folder / "c.csv").unlink()
        report = library.sync(folder)
        assert {d.name: d.status for d in report}["c.csv"] == "forgotten"
        for name in ("a", "b"):
            (folder / f"{name}.csv").unlink()
        assert library.sync(folder).kept
        library.sync(folder, forget_most=True)
        assert library.documents() == []


def test_progress_is_told_and_what_it_raises_stops_the_work(tmp_path, world):
    seen = []
    with tabletalk.Library(tmp_path / "a") as library:
        library.add(world / "examples", on_progress=seen.append)
    assert seen and seen[-1].files == 12 and seen[-1].rows > 0

    def stop(progress):
        raise RuntimeError("enough")

    with tabletalk.Library(tmp_path / "b") as library:
        with pytest.raises(RuntimeError, match="enough"):
            library.add(world / "examples", on_progress=stop)


def test_a_tree_of_summaries_is_built_and_searched(library):
    tree = library.raptor(no_model=True)
    assert tree.trees >= 1 and tree.leaves > 1
    assert library.search("claims", k=1, group="raptor")


def test_the_interpreter_is_free_while_the_engine_works(library):
    beats = []
    stop = threading.Event()

    def beat():
        while not stop.is_set():
            beats.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=beat)
    thread.start()
    begun = time.perf_counter()
    library.ask("total freight by carrier")
    end = time.perf_counter()
    stop.set()
    thread.join()
    inside = [b for b in beats if begun < b < end]
    # A thread that holds the interpreter would let the other beat once or twice.
    assert len(inside) > (end - begun) * 20


def test_questions_come_from_several_threads(library):
    answers = []
    ask = lambda: answers.append(library.ask("How many people work in Rotterdam?").value)  # noqa: E731
    threads = [threading.Thread(target=ask) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert answers == [12] * 4


INTERRUPTED = """
import sys, tabletalk
library = tabletalk.Library(sys.argv[1], config={"sql": {"time_ms": 60000}})
library.add([{"n": i} for i in range(3000)], name="n")
print("ready", flush=True)
try:
    library.sql("SELECT sum(a.n * b.n + c.n) FROM n a, n b, n c")
except KeyboardInterrupt:
    print("interrupted", library.sql("SELECT count(*) FROM n").scalar())
"""


def test_ctrl_c_stops_a_statement_and_the_library_goes_on(tmp_path):
    words = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "library")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        begun = time.perf_counter()
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "interrupted 3000\n"
        assert time.perf_counter() - begun < 10


def test_a_stream_ends_with_the_answer(library):
    stream = library.stream("How many people work in Rotterdam?")
    assert list(stream) == [] and stream.answer.value == 12
    with library.stream("") as stream, pytest.raises(tabletalk.InputError):
        stream.answer


def test_evaluate_counts_right_wrong_and_silent(library, tmp_path):
    questions = [
        ("How many people work in Rotterdam?", 12),
        ("What is the average salary of site managers?", "90100"),
        {"question": "How many people work in Rotterdam?", "answer": 999},
        {"question": "What is the salary of Zorro?", "answer": 1},
        {"question": "What is the salary of Zorro?", "answer": None},
    ]
    result = tabletalk.evaluate(library, questions)
    assert [r.verdict for r in result.results] == ["right", "right", "wrong", "silent", "right"]
    assert result.accuracy == 0.6 and result.precision == 0.75
    assert str(result).startswith("5 questions: 3 right, 1 wrong, 1 silent")
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "How many people work in Rotterdam?", "answers": ["12"]}\n')
    assert tabletalk.evaluate(library, file).accuracy == 1.0


def test_the_command_is_the_command_line(world, tmp_path):
    def run(*words):
        return subprocess.run([*command(), *words], capture_output=True, text=True, cwd=tmp_path, timeout=120)

    asked = run("ask", "--from", str(world / "examples" / "staff.tsv"), "How many people work in Rotterdam?")
    assert asked.returncode == 0 and asked.stdout.startswith("12  ("), asked.stderr
    unknown = run("ask", "--from", str(world / "examples" / "staff.tsv"), "What is the salary of Zorro?")
    assert unknown.returncode == 1 and unknown.stdout.startswith("not known")
    assert run("--version").stdout.strip() == f"tabletalk {tabletalk.__version__}"
    wrong = run("tables")
    assert wrong.returncode == 3 and "there is no library" in wrong.stderr
    assert run("no-such-command").returncode == 2


def test_types_are_told():
    folder = os.path.dirname(tabletalk.__file__)
    assert os.path.exists(os.path.join(folder, "py.typed")) and os.path.exists(os.path.join(folder, "_native.pyi"))
    assert io.open(os.path.join(folder, "_native.pyi")).read().count("def ") > 20
