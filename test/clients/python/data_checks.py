"""Checks of the calls that read and write rows."""

from datetime import datetime, timedelta, timezone

from google.cloud.bigtable.data import (
    AddToCell,
    DeleteAllFromFamily,
    DeleteAllFromRow,
    DeleteRangeFromColumn,
    MutationsExceptionGroup,
    ReadRowsQuery,
    RowMutationEntry,
    RowRange,
    SetCell,
)
from google.cloud.bigtable.data import row_filters as f
from google.cloud.bigtable.data.read_modify_write_rules import AppendValueRule, IncrementRule

from checks import (
    EVERYTHING,
    INSTANCE,
    PARENT,
    admin,
    client,
    create,
    equal,
    fails,
    put,
    read,
    restart,
)

R1 = "r1 a:x@2000=2 a:x@1000=1 b:y@1000=3"
R2 = "r2 a:x@1000=4"
R3 = "r3 b:y@3000=5"


def sample(table_id):
    """Rows that reads and filters are tested on."""
    table = create(table_id, "a", "b")
    put(table, "r1", "a", "x", 1000, "1")
    put(table, "r1", "a", "x", 2000, "2")
    put(table, "r1", "b", "y", 1000, "3")
    put(table, "r2", "a", "x", 1000, "4")
    put(table, "r3", "b", "y", 3000, "5")
    return table


def read_rows():
    table = sample("reads")
    equal("no row", table.read_row("none"), None)
    equal("exists", [table.row_exists("r1"), table.row_exists("none")], [True, False])
    equal("keys", read(table, keys=["r3", "none", "r1"]), f"{R1} | {R3}")
    for what, row_range, expected in [
        ("open start", RowRange("r1", "r3", False, True), f"{R2} | {R3}"),
        ("open end", RowRange("r1", "r3"), f"{R1} | {R2}"),
        ("open", RowRange("r1", "r3", False, False), R2),
        ("closed", RowRange("r1", "r2", True, True), f"{R1} | {R2}"),
        ("ranges", [RowRange("r1", "r2"), RowRange("r3")], f"{R1} | {R3}"),
    ]:
        equal(what, read(table, ranges=row_range), expected)
    equal("limit", read(table, ranges=EVERYTHING, limit=2), f"{R1} | {R2}")
    shards = ReadRowsQuery(row_ranges=EVERYTHING).shard(table.sample_row_keys())
    equal("shards", len(table.read_rows_sharded(shards)), 3)
    missing = client.get_table(INSTANCE, "none")
    fails("no such table", "NOT_FOUND", lambda: read(missing, keys=["k"]))


def check_filters(table, cases):
    for what, row_filter, expected in cases:
        equal(what, read(table, ranges=EVERYTHING, row_filter=row_filter), expected)


def simple_filters():
    stripped = "r1 a:x@2000= a:x@1000= b:y@1000= | r2 a:x@1000= | r3 b:y@3000="
    check_filters(
        sample("filters"),
        [
            ("key regex", f.RowKeyRegexFilter("r[23]"), f"{R2} | {R3}"),
            ("family regex", f.FamilyNameRegexFilter("b|c"), f"r1 b:y@1000=3 | {R3}"),
            ("column regex", f.ColumnQualifierRegexFilter("^x$"), f"r1 a:x@2000=2 a:x@1000=1 | {R2}"),
            ("value regex", f.ValueRegexFilter("[45]"), f"{R2} | {R3}"),
            ("literal value", f.LiteralValueFilter("4"), R2),
            ("column range", f.ColumnRangeFilter("b", b"x", b"z"), f"r1 b:y@1000=3 | {R3}"),
            ("value range", f.ValueRangeFilter(b"2", b"4", True, False), "r1 a:x@2000=2 b:y@1000=3"),
            (
                "timestamp range",
                f.TimestampRangeFilter(*timestamps(2000, 3000)),
                "r1 a:x@2000=2",
            ),
            ("latest", f.CellsColumnLimitFilter(1), f"r1 a:x@2000=2 b:y@1000=3 | {R2} | {R3}"),
            ("cells per row", in_a(f.CellsRowLimitFilter(1)), f"r1 a:x@2000=2 | {R2}"),
            ("offset per row", in_a(f.CellsRowOffsetFilter(1)), "r1 a:x@1000=1"),
            ("stripped value", f.StripValueTransformerFilter(True), stripped),
            (
                "label",
                f.RowFilterChain([f.RowKeyRegexFilter("r2"), f.ApplyLabelFilter("l")]),
                f"{R2}#l",
            ),
            ("all", f.PassAllFilter(True), f"{R1} | {R2} | {R3}"),
            ("none", f.BlockAllFilter(True), ""),
        ],
    )


def in_a(row_filter):
    """In one family: servers choose the order of families."""
    return f.RowFilterChain([f.FamilyNameRegexFilter("a"), row_filter])


def timestamps(*micros):
    epoch = datetime.fromtimestamp(0, timezone.utc)
    return [epoch + timedelta(microseconds=each) for each in micros]


def composed_filters():
    x, y = f.ColumnQualifierRegexFilter("x"), f.ColumnQualifierRegexFilter("y")
    latest = f.CellsColumnLimitFilter(1)
    newest_x = f.RowFilterChain([x, latest])
    one_row = f.RowKeyRegexFilter("r2")
    sunk = f.RowFilterChain([f.RowFilterUnion([f.SinkFilter(True), x]), f.BlockAllFilter(True)])
    check_filters(
        sample("composed"),
        [
            ("chain", newest_x, f"r1 a:x@2000=2 | {R2}"),
            (
                "interleave",
                f.RowFilterUnion([y, newest_x]),
                f"r1 a:x@2000=2 b:y@1000=3 | {R2} | {R3}",
            ),
            (
                "interleave of the same",
                f.RowFilterChain([one_row, f.RowFilterUnion([x, x])]),
                f"{R2} a:x@1000=4",
            ),
            ("sink", sunk, f"{R1} | {R2} | {R3}"),
            (
                "condition",
                f.ConditionalRowFilter(y, latest, f.BlockAllFilter(True)),
                f"r1 a:x@2000=2 b:y@1000=3 | {R3}",
            ),
            (
                "condition without otherwise",
                f.ConditionalRowFilter(y, x),
                "r1 a:x@2000=2 a:x@1000=1",
            ),
        ],
    )


def sample_row_keys():
    table = create("sampled", splits=[b"m"])
    equal("last key", table.sample_row_keys()[-1][0], b"")


def mutate_row():
    table = sample("mutated")
    table.mutate_row("r1", DeleteRangeFromColumn("b", b"y"))
    table.mutate_row("r1", DeleteRangeFromColumn("a", b"x", 0, 2000))
    table.mutate_row("r3", DeleteAllFromFamily("b"))
    table.mutate_row("r2", [DeleteAllFromRow(), SetCell("b", "z", b"new", timestamp_micros=5000)])
    equal("after deletes", read(table, ranges=EVERYTHING), "r1 a:x@2000=2 | r2 b:z@5000=new")
    table.mutate_row("r1", DeleteAllFromRow())
    table.mutate_row("r3", SetCell("a", "q", b"v", timestamp_micros=-1))
    equal("server's time", table.read_row("r3")[0].timestamp_micros > 5000, True)
    equal("rows", len(table.read_rows(ReadRowsQuery(row_ranges=EVERYTHING))), 2)


def bulk():
    table = create("bulk", "a")
    entries = [
        RowMutationEntry(key, SetCell(family, "q", b"v", timestamp_micros=1000))
        for key, family in [("k1", "a"), ("k2", "none"), ("k3", "a")]
    ]
    try:
        table.bulk_mutate_rows(entries)
    except MutationsExceptionGroup as group:
        equal("entries that failed", [error.index for error in group.exceptions], [1])
        fails("second entry", "NOT_FOUND", lambda: raise_(group.exceptions[0]))
    else:
        raise AssertionError("no entry failed")
    equal("rows", read(table, ranges=EVERYTHING), "k1 a:q@1000=v | k3 a:q@1000=v")


def raise_(error):
    raise error


def check_and_mutate():
    table = create("checked", "a")
    predicate = f.ColumnQualifierRegexFilter("no")

    def change():
        return table.check_and_mutate_row(
            "k",
            predicate,
            true_case_mutations=SetCell("a", "yes", b"1", timestamp_micros=1000),
            false_case_mutations=SetCell("a", "no", b"1", timestamp_micros=1000),
        )

    equal("matched", [change(), change()], [False, True])
    equal("row", read(table, keys=["k"]), "k a:no@1000=1 a:yes@1000=1")


def read_modify_write():
    table = create("modified", "a")
    rules = [AppendValueRule("a", "text", "ab"), IncrementRule("a", "number", 7)]
    equal("cells", len(table.read_modify_write_row("k", rules)), 2)
    row = table.read_modify_write_row("k", rules)
    equal("number", int.from_bytes(row.get_cells("a", "number")[0].value, "big"), 14)
    equal("text", row.get_cells("a", "text")[0].value, b"abab")


def aggregates():
    def family(kind):
        number = {"encoding": {"big_endian_bytes": {}}}
        aggregate = {"input_type": {"int64_type": number}, kind: {}}
        return {"value_type": {"aggregate_type": aggregate}}

    families = {kind: family(kind) for kind in ["sum", "min", "max"]}
    admin.create_table(
        parent=PARENT, table_id="aggregates", table={"column_families": families}
    )
    table = client.get_table(INSTANCE, "aggregates")
    for number in [5, 3, 9]:
        table.mutate_row(
            "k", [AddToCell(kind, "q", number, 0) for kind in ["sum", "min", "max"]]
        )
    values = {cell.family: int.from_bytes(cell.value, "big") for cell in table.read_row("k")}
    equal("values", sorted(values.items()), [("max", 9), ("min", 3), ("sum", 17)])


def unique_counts():
    number = {"encoding": {"big_endian_bytes": {}}}
    aggregate = {"input_type": {"int64_type": number}, "hllpp_unique_count": {}}
    family = {"value_type": {"aggregate_type": aggregate}}
    admin.create_table(parent=PARENT, table_id="hll", table={"column_families": {"a": family}})


def large_row(table_id, mebibytes):
    table = create(table_id, "a")
    cells = [bytes([i]) * 1024 * 1024 for i in range(mebibytes)]
    table.mutate_row(
        "k",
        [SetCell("a", f"q{i:02}", value, timestamp_micros=1000) for i, value in enumerate(cells)],
    )
    equal("same values", [cell.value for cell in table.read_row("k")] == cells, True)


def many_rows():
    table = create("many", "a")
    with table.mutations_batcher() as batcher:
        for i in range(10_000):
            cell = SetCell("a", "q", b"v" * 1024, timestamp_micros=1000)
            batcher.append(RowMutationEntry(f"k{i:05}", cell))
    rows = table.read_rows_stream(ReadRowsQuery(row_ranges=EVERYTHING))
    equal("rows", sum(1 for _ in rows), 10_000)
    rows = table.read_rows_stream(ReadRowsQuery(row_ranges=EVERYTHING))
    equal("rows of the scan ended early", len([next(rows) for _ in range(10)]), 10)
    rows.close()


def deadline():
    table = client.get_table(INSTANCE, "many")
    query = ReadRowsQuery(row_ranges=EVERYTHING)
    fails(
        "scan",
        "DEADLINE_EXCEEDED",
        lambda: table.read_rows(query, operation_timeout=0.002),
    )
    equal("afterwards", read(client.get_table(INSTANCE, "reads"), keys=["r2"]), R2)


def restart_during_scan():
    table = client.get_table(INSTANCE, "many")
    keys = []
    for row in table.read_rows_stream(ReadRowsQuery(row_ranges=EVERYTHING), operation_timeout=50):
        keys.append(row.row_key)
        if len(keys) == 100:
            restart()
    equal("rows", len(keys), 10_000)
    equal("in order, once each", keys == sorted(set(keys)), True)


def sql():
    rows = client.execute_query("SELECT 1 AS n", INSTANCE)
    equal("rows", len(list(rows)), 1)


CHECKS = {
    "read rows: keys, ranges, limit": read_rows,
    "filters of keys, columns, values, timestamps": simple_filters,
    "chain, interleave, condition": composed_filters,
    "sample row keys": sample_row_keys,
    "mutate row: set and deletes": mutate_row,
    "bulk with a partial failure": bulk,
    "check and mutate": check_and_mutate,
    "read, modify, write": read_modify_write,
    "aggregates: sum, min, max": aggregates,
    "aggregates: unique count": unique_counts,
    "a row of 3 MiB": lambda: large_row("medium", 3),
    "a row of 20 MiB": lambda: large_row("large", 20),
    "10,000 rows, and a scan ended early": many_rows,
    "deadline exceeded": deadline,
    "restart in the middle of a scan": restart_during_scan,
    "SQL": sql,
}
