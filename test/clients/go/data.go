package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
)

var dataChecks = []check{
	{"ping and warm", func(e *env) error { return e.data.PingAndWarm(e.ctx) }},
	{"read rows: keys, ranges, limit", readRows},
	{"filters of keys, columns, values, timestamps", simpleFilters},
	{"chain, interleave, condition", composedFilters},
	{"reverse scan", reverseScan},
	{"sample row keys", sampleRowKeys},
	{"mutate row: set and deletes", mutateRow},
	{"bulk with a partial failure", bulk},
	{"check and mutate", checkAndMutate},
	{"read, modify, write", readModifyWrite},
	{"aggregates: sum, min, max", aggregates},
	{"aggregates: unique count", uniqueCounts},
	{"a row of 3 MiB", func(e *env) error { return largeRow(e, "medium", 3) }},
	{"a row of 20 MiB", func(e *env) error { return largeRow(e, "large", 20) }},
	{"10,000 rows, and a scan ended early", manyRows},
	{"deadline exceeded", deadline},
	{"restart in the middle of a scan", restartDuringScan},
	{"statistics of a read", statistics},
	{"SQL", func(e *env) error {
		_, err := e.data.PrepareStatement(e.ctx, "SELECT 1 AS n", nil)
		return err
	}},
}

// Rows that reads and filters are tested on.
func (e *env) sample(id string) (*bigtable.Table, error) {
	table, err := e.table(id, "a", "b")
	return table, all(
		err,
		e.set(table, "r1", "a", "x", 1000, "1"),
		e.set(table, "r1", "a", "x", 2000, "2"),
		e.set(table, "r1", "b", "y", 1000, "3"),
		e.set(table, "r2", "a", "x", 1000, "4"),
		e.set(table, "r3", "b", "y", 3000, "5"),
	)
}

const (
	r1 = "r1 a:x@2000=2 a:x@1000=1 b:y@1000=3"
	r2 = "r2 a:x@1000=4"
	r3 = "r3 b:y@3000=5"
)

func readRows(e *env) error {
	table, err := e.sample("reads")
	if err != nil {
		return err
	}
	row, err := table.ReadRow(e.ctx, "r1")
	none, errNone := table.ReadRow(e.ctx, "none")
	return all(
		err, errNone,
		equal("row", show(row), r1),
		equal("no row", len(none), 0),
		e.reads("keys", table, r1+" | "+r3, bigtable.RowList{"r3", "none", "r1"}),
		e.reads("prefix", table, r1+" | "+r2+" | "+r3, bigtable.PrefixRange("r")),
		e.reads("open start", table, r2+" | "+r3, bigtable.NewOpenClosedRange("r1", "r3")),
		e.reads("open end", table, r1+" | "+r2, bigtable.NewClosedOpenRange("r1", "r3")),
		e.reads("open", table, r2, bigtable.NewOpenRange("r1", "r3")),
		e.reads("closed", table, r1+" | "+r2, bigtable.NewClosedRange("r1", "r2")),
		e.reads("ranges", table, r1+" | "+r3,
			bigtable.RowRangeList{bigtable.NewRange("r1", "r2"), bigtable.InfiniteRange("r3")}),
		e.reads("limit", table, r1+" | "+r2, bigtable.InfiniteRange(""), bigtable.LimitRows(2)),
		fails("no such table", e.reads("", e.data.Open("none"), "", bigtable.SingleRow("k")), codes.NotFound),
	)
}

type filterCase struct {
	name     string
	filter   bigtable.Filter
	expected string
}

func (e *env) filter(table *bigtable.Table, cases []filterCase) error {
	for _, c := range cases {
		if err := e.reads(c.name, table, c.expected, bigtable.InfiniteRange(""), bigtable.RowFilter(c.filter)); err != nil {
			return err
		}
	}
	return nil
}

// inA filters in one family: servers choose the order of families.
func inA(filter bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("a"), filter)
}

func simpleFilters(e *env) error {
	table, err := e.sample("filters")
	if err != nil {
		return err
	}
	return e.filter(table, []filterCase{
		{"key regex", bigtable.RowKeyFilter("r[23]"), r2 + " | " + r3},
		{"family regex", bigtable.FamilyFilter("b|c"), "r1 b:y@1000=3 | " + r3},
		{"column regex", bigtable.ColumnFilter("^x$"), "r1 a:x@2000=2 a:x@1000=1 | " + r2},
		{"value regex", bigtable.ValueFilter("[45]"), r2 + " | " + r3},
		{"column range", bigtable.ColumnRangeFilter("b", "x", "z"), "r1 b:y@1000=3 | " + r3},
		{"value range", bigtable.ValueRangeFilter([]byte("2"), []byte("4")), "r1 a:x@2000=2 b:y@1000=3"},
		{"timestamp range", bigtable.TimestampRangeFilterMicros(2000, 3000), "r1 a:x@2000=2"},
		{"latest", bigtable.LatestNFilter(1), "r1 a:x@2000=2 b:y@1000=3 | " + r2 + " | " + r3},
		{"cells per row", inA(bigtable.CellsPerRowLimitFilter(1)), "r1 a:x@2000=2 | " + r2},
		{"offset per row", inA(bigtable.CellsPerRowOffsetFilter(1)), "r1 a:x@1000=1"},
		{"stripped value", bigtable.StripValueFilter(),
			"r1 a:x@2000= a:x@1000= b:y@1000= | r2 a:x@1000= | r3 b:y@3000="},
		{"label", bigtable.ChainFilters(bigtable.RowKeyFilter("r2"), bigtable.LabelFilter("l")), r2 + "#l"},
		{"all", bigtable.PassAllFilter(), r1 + " | " + r2 + " | " + r3},
		{"none", bigtable.BlockAllFilter(), ""},
	})
}

func composedFilters(e *env) error {
	table, err := e.sample("composed")
	if err != nil {
		return err
	}
	x, y := bigtable.ColumnFilter("x"), bigtable.ColumnFilter("y")
	return e.filter(table, []filterCase{
		{"chain", bigtable.ChainFilters(x, bigtable.LatestNFilter(1)), "r1 a:x@2000=2 | " + r2},
		{"interleave", bigtable.InterleaveFilters(y, bigtable.ChainFilters(x, bigtable.LatestNFilter(1))),
			"r1 a:x@2000=2 b:y@1000=3 | " + r2 + " | " + r3},
		{"interleave of the same", bigtable.ChainFilters(bigtable.RowKeyFilter("r2"), bigtable.InterleaveFilters(x, x)),
			r2 + " a:x@1000=4"},
		{"condition", bigtable.ConditionFilter(y, bigtable.LatestNFilter(1), bigtable.BlockAllFilter()),
			"r1 a:x@2000=2 b:y@1000=3 | " + r3},
		{"condition without otherwise", bigtable.ConditionFilter(y, x, nil), "r1 a:x@2000=2 a:x@1000=1"},
	})
}

func reverseScan(e *env) error {
	table, err := e.sample("reversed")
	return all(
		err,
		e.reads("all", table, r3+" | "+r2+" | "+r1, bigtable.InfiniteRange(""), bigtable.ReverseScan()),
		e.reads("limit", table, r2, bigtable.NewRange("r1", "r3"), bigtable.ReverseScan(), bigtable.LimitRows(1)),
	)
}

func sampleRowKeys(e *env) error {
	if err := e.admin.CreatePresplitTable(e.ctx, "sampled", []string{"m"}); err != nil {
		return err
	}
	_, err := e.data.Open("sampled").SampleRowKeys(e.ctx)
	return err
}

func mutateRow(e *env) error {
	table, err := e.sample("mutated")
	column, cells, family := bigtable.NewMutation(), bigtable.NewMutation(), bigtable.NewMutation()
	column.DeleteCellsInColumn("b", "y")
	cells.DeleteTimestampRange("a", "x", 0, 2000)
	family.DeleteCellsInFamily("b")
	row, several := bigtable.NewMutation(), bigtable.NewMutation()
	row.DeleteRow()
	several.DeleteRow()
	several.Set("b", "z", 5000, []byte("new"))
	now := bigtable.NewMutation()
	now.Set("a", "q", bigtable.ServerTime, []byte("v"))
	return all(
		err,
		table.Apply(e.ctx, "r1", column),
		table.Apply(e.ctx, "r1", cells),
		table.Apply(e.ctx, "r3", family),
		table.Apply(e.ctx, "r2", several),
		e.reads("after deletes", table, "r1 a:x@2000=2 | r2 b:z@5000=new", bigtable.InfiniteRange("")),
		table.Apply(e.ctx, "r1", row),
		table.Apply(e.ctx, "r2", now),
		e.reads("server's time", table, "r2 b:z@5000=new", bigtable.InfiniteRange(""),
			bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(0, 1_000_000))),
	)
}

func bulk(e *env) error {
	table, err := e.table("bulk", "a")
	if err != nil {
		return err
	}
	keys := []string{"k1", "k2", "k3"}
	mutations := make([]*bigtable.Mutation, len(keys))
	for i, family := range []string{"a", "none", "a"} {
		mutations[i] = bigtable.NewMutation()
		mutations[i].Set(family, "q", 1000, []byte("v"))
	}
	errs, err := table.ApplyBulk(e.ctx, keys, mutations)
	if err != nil {
		return err
	}
	if len(errs) != 3 || errs[0] != nil || errs[2] != nil {
		return fmt.Errorf("errors: %v", errs)
	}
	return all(
		fails("second entry", errs[1], codes.NotFound),
		e.reads("rows", table, "k1 a:q@1000=v | k3 a:q@1000=v", bigtable.InfiniteRange("")),
	)
}

func checkAndMutate(e *env) error {
	table, err := e.table("checked", "a")
	yes, no := bigtable.NewMutation(), bigtable.NewMutation()
	yes.Set("a", "yes", 1000, []byte("1"))
	no.Set("a", "no", 1000, []byte("1"))
	conditional := bigtable.NewCondMutation(bigtable.ColumnFilter("no"), yes, no)
	var first, second bool
	return all(
		err,
		table.Apply(e.ctx, "k", conditional, bigtable.GetCondMutationResult(&first)),
		table.Apply(e.ctx, "k", conditional, bigtable.GetCondMutationResult(&second)),
		equal("matched", []bool{first, second}, []bool{false, true}),
		e.reads("row", table, "k a:no@1000=1 a:yes@1000=1", bigtable.SingleRow("k")),
	)
}

func readModifyWrite(e *env) error {
	table, err := e.table("modified", "a")
	if err != nil {
		return err
	}
	change := bigtable.NewReadModifyWrite()
	change.AppendValue("a", "text", []byte("ab"))
	change.Increment("a", "number", 7)
	for range 2 {
		row, err := table.ApplyReadModifyWrite(e.ctx, "k", change)
		if err != nil {
			return err
		}
		if err := equal("cells", len(row["a"]), 2); err != nil {
			return err
		}
	}
	row, err := table.ReadRow(e.ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	return all(
		equal("number", binary.BigEndian.Uint64(row["a"][0].Value), 14),
		equal("text", string(row["a"][1].Value), "abab"),
	)
}

func aggregates(e *env) error {
	families := map[string]bigtable.Family{}
	for name, aggregator := range map[string]bigtable.Aggregator{
		"sum": bigtable.SumAggregator{}, "min": bigtable.MinAggregator{}, "max": bigtable.MaxAggregator{},
	} {
		families[name] = bigtable.Family{ValueType: bigtable.AggregateType{
			Input: bigtable.Int64Type{}, Aggregator: aggregator,
		}}
	}
	conf := bigtable.TableConf{TableID: "aggregates", ColumnFamilies: families}
	if err := e.admin.CreateTableFromConf(e.ctx, &conf); err != nil {
		return err
	}
	table := e.data.Open("aggregates")
	for _, number := range []int64{5, 3, 9} {
		m := bigtable.NewMutation()
		for _, family := range []string{"sum", "min", "max"} {
			m.AddIntToCell(family, "q", 0, number)
		}
		if err := table.Apply(e.ctx, "k", m); err != nil {
			return err
		}
	}
	merge := bigtable.NewMutation()
	merge.MergeBytesToCell("sum", "q", 0, binary.BigEndian.AppendUint64(nil, 100))
	if err := table.Apply(e.ctx, "k", merge); err != nil {
		return err
	}
	row, err := table.ReadRow(e.ctx, "k")
	if err != nil {
		return err
	}
	values := map[string]uint64{}
	for family, cells := range row {
		values[family] = binary.BigEndian.Uint64(cells[0].Value)
	}
	return equal("values", values, map[string]uint64{"sum": 117, "min": 3, "max": 9})
}

func uniqueCounts(e *env) error {
	conf := bigtable.TableConf{TableID: "hll", ColumnFamilies: map[string]bigtable.Family{
		"a": {ValueType: bigtable.AggregateType{
			Input: bigtable.Int64Type{}, Aggregator: bigtable.HllppUniqueCountAggregator{},
		}},
	}}
	return e.admin.CreateTableFromConf(e.ctx, &conf)
}

func largeRow(e *env, id string, mebibytes int) error {
	table, err := e.table(id, "a")
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for i := range mebibytes {
		m.Set("a", fmt.Sprintf("q%02d", i), 1000, bytes.Repeat([]byte{byte(i)}, 1<<20))
	}
	if err := table.Apply(e.ctx, "k", m); err != nil {
		return err
	}
	row, err := table.ReadRow(e.ctx, "k")
	if err != nil {
		return err
	}
	if err := equal("cells", len(row["a"]), mebibytes); err != nil {
		return err
	}
	for i, cell := range row["a"] {
		if !bytes.Equal(cell.Value, bytes.Repeat([]byte{byte(i)}, 1<<20)) {
			return fmt.Errorf("cell %d differs", i)
		}
	}
	return nil
}

// 10,000 rows of 1 KiB.
func (e *env) many(id string) (*bigtable.Table, error) {
	table, err := e.table(id, "a")
	if err != nil {
		return nil, err
	}
	keys, mutations := make([]string, 10_000), make([]*bigtable.Mutation, 10_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("k%05d", i)
		mutations[i] = bigtable.NewMutation()
		mutations[i].Set("a", "q", 1000, bytes.Repeat([]byte{'v'}, 1024))
	}
	errs, err := table.ApplyBulk(e.ctx, keys, mutations)
	return table, all(err, equal("errors", len(errs), 0))
}

func manyRows(e *env) error {
	table, err := e.many("many")
	if err != nil {
		return err
	}
	count := 0
	err = table.ReadRows(e.ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		count++
		return true
	})
	if err := all(err, equal("rows", count, 10_000)); err != nil {
		return err
	}
	count = 0
	err = table.ReadRows(e.ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		count++
		return count < 10
	})
	return all(err, equal("rows of the scan ended early", count, 10), e.data.PingAndWarm(e.ctx))
}

func deadline(e *env) error {
	short, cancel := context.WithTimeout(e.ctx, time.Millisecond)
	defer cancel()
	err := e.data.Open("many").ReadRows(short, bigtable.InfiniteRange(""), func(bigtable.Row) bool { return true })
	return all(
		fails("scan", err, codes.DeadlineExceeded),
		e.reads("afterwards", e.data.Open("reads"), r2, bigtable.SingleRow("r2")),
	)
}

func restartDuringScan(e *env) error {
	count, last := 0, ""
	var failed error
	err := e.data.Open("many").ReadRows(e.ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		count++
		if row.Key() <= last {
			failed = fmt.Errorf("%s after %s", row.Key(), last)
		}
		last = row.Key()
		if count == 100 && failed == nil {
			failed = e.restart()
		}
		return failed == nil
	})
	return all(failed, err, equal("rows", count, 10_000))
}

func statistics(e *env) error {
	var seen, returned int64
	err := e.data.Open("reads").ReadRows(e.ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { return true },
		bigtable.RowFilter(bigtable.RowKeyFilter("r2")),
		bigtable.WithFullReadStats(func(stats *bigtable.FullReadStats) {
			seen, returned = stats.ReadIterationStats.RowsSeenCount, stats.ReadIterationStats.RowsReturnedCount
		}))
	return all(err, equal("rows seen and returned", []int64{seen, returned}, []int64{3, 1}))
}
