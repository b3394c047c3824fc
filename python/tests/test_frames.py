"""What is added from memory, and what comes back."""

import datetime
import decimal
import resource
import sys

import pytest

import tabletalk


@pytest.fixture
def library(tmp_path):
    with tabletalk.Library(tmp_path / "library", config={"embedding": {"at_add": False}}) as library:
        yield library


def test_rows_that_are_dictionaries(library):
    rows = [
        {"city": "Oslo", "sold": 5, "day": datetime.date(2024, 1, 2), "at": {"x": 1}},
        {"city": "Paris", "sold": 7, "day": None, "price": decimal.Decimal("1.5")},
    ]
    report = library.add(rows, name="sales")
    assert [(d.name, d.status, d.rows) for d in report] == [("sales.jsonl", "added", 2)]
    assert library.sql("SELECT sold, day FROM sales ORDER BY sold").rows == [(5, datetime.date(2024, 1, 2)), (7, None)]
    assert library.add(rows, name="sales")[0].status == "unchanged"


def test_bytes_are_read_by_their_name(library):
    library.add(b"city;sold\nOslo;1,200\n", name="sales.csv")
    assert library.sql("SELECT sold FROM sales").scalar() == 1200
    assert (library.path / "uploads" / "sales.csv").exists()
    library.forget("sales.csv")
    assert not (library.path / "uploads" / "sales.csv").exists()
    with pytest.raises(tabletalk.InputError, match="need a name"):
        library.add(b"a,b\n1,2\n")
    with pytest.raises(tabletalk.InputError, match="is no name"):
        library.add(b"a,b\n1,2\n", name="../..")


def test_a_file_that_cannot_be_read_is_reported_and_bytes_raise(library, tmp_path):
    (tmp_path / "broken.xlsx").write_bytes(b"PK no workbook")
    (tmp_path / "good.csv").write_text("a,b\n1,2\n")
    report = library.add([tmp_path / "broken.xlsx", tmp_path / "good.csv"])
    assert [d.name for d in report.failed] == ["broken.xlsx"] and len(report) == 2
    with pytest.raises(tabletalk.InputError, match="broken.xlsx"):
        library.add(b"PK no workbook", name="broken.xlsx")


def test_what_cannot_be_added_is_refused(library):
    for thing in (5, [], [1, 2], object(), None):
        with pytest.raises(tabletalk.InputError, match="cannot be added"):
            library.add(thing, name="x")


def test_a_frame_of_pandas(library):
    pandas = pytest.importorskip("pandas", reason="skipped, because pandas is not installed")
    pytest.importorskip("pyarrow", reason="skipped, because pyarrow is not installed")
    frame = pandas.DataFrame(
        {
            "city": ["Oslo", None, "Paris"],
            "sold": [5, 6, 7],
            "day": pandas.to_datetime(["2024-01-01 00:00", None, "2024-03-01 08:30"]),
            "price": [1.5, None, 2.5],
            "kind": pandas.Categorical(["a", "b", "a"]),
            "mixed": [1, "x", None],
            "flag": [True, False, True],
        }
    )
    report = library.add(frame, name="sales")
    assert (report[0].name, report[0].status, report[0].rows) == ("sales", "added", 3)
    back = library.sql("SELECT * FROM sales ORDER BY sold").to_pandas()
    assert list(back.columns) == list(frame.columns)
    assert back["sold"].tolist() == [5, 6, 7] and back["mixed"].tolist()[:2] == ["1", "x"]
    assert back["day"][2] == pandas.Timestamp("2024-03-01 08:30") and pandas.isna(back["price"][1])
    assert library.add(frame.iloc[:2], name="sales")[0].status == "updated"
    assert library.sql("SELECT count(*) FROM sales").scalar() == 2
    assert library.ask("What is the total sold?").value == 11
    indexed = frame.set_index(["city", "kind"])
    library.add(indexed, name="indexed")
    assert library.sql("SELECT * FROM indexed").columns[:2] == ["city", "kind"]


def test_frames_of_polars_lazy_or_not(library):
    polars = pytest.importorskip("polars", reason="skipped, because polars is not installed")
    frame = polars.DataFrame(
        {
            "city": ["Oslo", None, "a name that is much longer than twelve bytes"],
            "sold": [5, 6, 7],
            "day": [datetime.date(2024, 1, 1), None, datetime.date(2024, 3, 1)],
            "many": [[1, 2], [], None],
            "inner": [{"x": 1}, {"x": 2}, {"x": 3}],
        }
    ).with_columns(kind=polars.Series(["a", "b", "a"], dtype=polars.Categorical))
    library.add({"one": frame, "two": frame.lazy().filter(polars.col("sold") > 5)})
    assert library.sql("SELECT count(*) FROM two").scalar() == 2
    back = library.sql('SELECT city, sold, day, many, "inner.x", kind FROM one ORDER BY sold').to_polars()
    assert back["city"].to_list() == frame["city"].to_list() and back["day"].to_list() == frame["day"].to_list()
    assert back["many"].to_list() == ["1; 2", None, None] and back["inner.x"].to_list() == [1, 2, 3]
    assert back["kind"].to_list() == ["a", "b", "a"]


def test_every_type_of_arrow_comes_in(library):
    pyarrow = pytest.importorskip("pyarrow", reason="skipped, because pyarrow is not installed")
    moment = datetime.datetime(2024, 3, 1, 8, 30, 0, 500000)
    columns = {
        "i8": pyarrow.array([1, None, -3], pyarrow.int8()),
        "u64": pyarrow.array([1, None, 2**40], pyarrow.uint64()),
        "f32": pyarrow.array([0.1, None, 2.5], pyarrow.float32()),
        "b": pyarrow.array([True, None, False]),
        "s": pyarrow.array(["é", None, "日本"]),
        "large": pyarrow.array(["a", None, ""], pyarrow.large_string()),
        "view": pyarrow.array(["short", None, "longer than twelve bytes"], pyarrow.string_view()),
        "bin": pyarrow.array([b"x", None, b"\x00"], pyarrow.binary()),
        "fixed": pyarrow.array([b"ab", None, b"cd"], pyarrow.binary(2)),
        "dec": pyarrow.array([decimal.Decimal("1.25"), None, decimal.Decimal("-3.50")], pyarrow.decimal128(10, 2)),
        "d": pyarrow.array([datetime.date(2024, 1, 2), None, None]),
        "ts": pyarrow.array([moment, None, moment], pyarrow.timestamp("ns", "UTC")),
        "t": pyarrow.array([datetime.time(8, 30), None, None]),
        "list": pyarrow.array([[1, None], None, []], pyarrow.list_(pyarrow.int32())),
        "fl": pyarrow.array([[1, 2], None, [3, 4]], pyarrow.list_(pyarrow.int32(), 2)),
        "map": pyarrow.array([[("k", 1)], None, []], pyarrow.map_(pyarrow.string(), pyarrow.int32())),
        "dict": pyarrow.array(["x", None, "y"]).dictionary_encode(),
        "null": pyarrow.nulls(3),
    }
    table = pyarrow.table(columns)
    assert library.add(table, name="types")[0].rows == 3
    back = library.sql("SELECT * FROM types").to_dicts()
    first, last = back[0], back[2]
    assert (first["i8"], last["u64"], first["f32"], first["b"]) == (1, 2**40, 0.1, True)
    assert (last["s"], last["view"], first["large"], first["bin"], last["fixed"]) == ("日本", "longer than twelve bytes", "a", "x", "cd")
    assert (first["dec"], first["d"], first["ts"], first["dict"]) == (1.25, datetime.date(2024, 1, 2), moment, "x")
    assert first["t"].startswith("08:30") and first["fl"] == "1; 2" and last["list"] is None
    assert all(value is None for value in back[1].values())
    # Slices begin in the middle of their memory, also within a byte of bits.
    library.add(table.slice(2), name="slice")
    assert library.sql("SELECT s, b, i8, dict FROM slice").rows == [("日本", False, -3, "y")]
    library.add(table.slice(0, 0), name="nothing")
    assert library.sql("SELECT count(*) FROM nothing").scalar() == 0
    union = pyarrow.UnionArray.from_dense(pyarrow.array([0, 0], pyarrow.int8()), pyarrow.array([0, 1], pyarrow.int32()), [pyarrow.array([1, 2])])
    with pytest.raises(tabletalk.InputError, match="u: columns of the Arrow type `\\+ud:0` cannot be read"):
        library.add(pyarrow.table({"u": union}), name="union")
    with pytest.raises(tabletalk.InputError, match="single columns"):
        library.add(pyarrow.chunked_array([[1, 2]]), name="column")


def test_a_reader_is_read_once_and_its_error_is_told(library):
    pyarrow = pytest.importorskip("pyarrow", reason="skipped, because pyarrow is not installed")
    schema = pyarrow.schema([("n", pyarrow.int64())])

    def batches(fail):
        for i in range(3):
            yield pyarrow.record_batch([pyarrow.array([i])], schema=schema)
        if fail:
            raise ValueError("the source went away")

    library.add(pyarrow.RecordBatchReader.from_batches(schema, batches(False)), name="good")
    assert library.sql("SELECT sum(n) FROM good").scalar() == 3
    with pytest.raises(tabletalk.InputError, match="the source went away"):
        library.add(pyarrow.RecordBatchReader.from_batches(schema, batches(True)), name="bad")
    reader = pyarrow.RecordBatchReader.from_batches(schema, batches(False))
    reader.read_all()
    assert library.add(reader, name="empty")[0].rows == 0


def test_tables_from_memory_are_joined(library):
    library.add(
        {
            "customers": [{"customer_id": i, "city": "Oslo" if i % 2 else "Paris"} for i in range(1, 31)],
            "orders": [{"order_id": i, "customer_id": i % 30 + 1, "amount": i} for i in range(1, 61)],
        }
    )
    joined = library.sql("SELECT sum(o.amount) FROM orders o JOIN customers c ON o.customer_id = c.customer_id WHERE c.city = 'Oslo'")
    assert library.ask("What is the total amount of orders of customers in Oslo?").value in (joined.scalar(), None)


def test_a_result_is_arrow_for_others(library):
    library.add([{"city": "Oslo", "sold": 5, "day": "2024-01-02", "ok": True}, {"city": "Paris", "sold": None}], name="sales")
    result = library.sql("SELECT city, sold, day, ok, sold * 1.5 AS more FROM sales ORDER BY city")
    assert result.kinds == ["text", "integer", "date", "boolean", "decimal"] and len(result) == 2
    assert result.rows[0] == ("Oslo", 5, datetime.date(2024, 1, 2), True, 7.5)
    pyarrow = pytest.importorskip("pyarrow", reason="skipped, because pyarrow is not installed")
    table = result.to_arrow()
    assert table.to_pylist() == result.to_dicts() and table.num_rows == 2
    table.validate(full=True)
    empty = library.sql("SELECT city, sold FROM sales WHERE sold > 99")
    assert empty.to_arrow().num_rows == 0 and empty.rows == [] and empty.scalar() is None
    duckdb = pytest.importorskip("duckdb", reason="skipped, because duckdb is not installed")
    assert duckdb.sql("SELECT sum(sold) FROM result").fetchall() == [(5,)]


def test_a_capsule_that_nobody_reads_is_released(library):
    library.add([{"n": 1}], name="n")
    result = library.sql("SELECT n FROM n")
    for _ in range(1000):
        result.__arrow_c_stream__()
    native = result._given
    assert type(native.__arrow_c_stream__(None)).__name__ == "PyCapsule"


@pytest.mark.skipif(sys.platform == "win32", reason="skipped, because Windows does not say how much memory was used")
def test_a_frame_goes_in_without_a_copy_of_the_whole(library):
    polars = pytest.importorskip("polars", reason="skipped, because polars is not installed")
    rows = 1_000_000
    frame = polars.DataFrame({"a": polars.int_range(rows, eager=True) % 1000, "b": polars.int_range(rows, eager=True) % 7}).with_columns(
        **{f"c{i}": (polars.col("a") * i).cast(polars.Int64) for i in range(10)}
    )
    size = frame.estimated_size()
    library.add(frame.head(100_000), name="warm")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    library.add(frame, name="large")
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert library.sql("SELECT count(*), sum(a) FROM large").rows == [(rows, frame["a"].sum())]
    assert grown < size, f"{grown >> 20} MiB more for a frame of {size >> 20} MiB"
