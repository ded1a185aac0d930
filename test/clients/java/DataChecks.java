import static com.google.cloud.bigtable.data.v2.models.Filters.FILTERS;

import com.google.api.gax.batching.Batcher;
import com.google.api.gax.grpc.GrpcCallContext;
import com.google.api.gax.rpc.ServerStream;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.admin.v2.models.Type;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.models.BulkMutation;
import com.google.cloud.bigtable.data.v2.models.ConditionalRowMutation;
import com.google.cloud.bigtable.data.v2.models.Filters.Filter;
import com.google.cloud.bigtable.data.v2.models.MutateRowsException;
import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.Range.ByteStringRange;
import com.google.cloud.bigtable.data.v2.models.Range.TimestampRange;
import com.google.cloud.bigtable.data.v2.models.ReadModifyWriteRow;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowCell;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.cloud.bigtable.data.v2.models.RowMutationEntry;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks of the calls that read and write rows. */
final class DataChecks {
  private static final String R1 = "r1 a:x@2000=2 a:x@1000=1 b:y@1000=3";
  private static final String R2 = "r2 a:x@1000=4";
  private static final String R3 = "r3 b:y@3000=5";
  private final Checks checks;
  private final BigtableDataClient data;

  DataChecks(Checks checks) {
    this.checks = checks;
    this.data = checks.data;
  }

  Map<String, Checks.Check> all() {
    Map<String, Checks.Check> all = new LinkedHashMap<>();
    all.put("read rows: keys, ranges, limit", this::readRows);
    all.put("filters of keys, columns, values, timestamps", this::simpleFilters);
    all.put("chain, interleave, condition", this::composedFilters);
    all.put("reverse scan", this::reverseScan);
    all.put("sample row keys", this::sampleRowKeys);
    all.put("mutate row: set and deletes", this::mutateRow);
    all.put("bulk with a partial failure", this::bulk);
    all.put("check and mutate", this::checkAndMutate);
    all.put("read, modify, write", this::readModifyWrite);
    all.put("aggregates: sum, min, max", this::aggregates);
    all.put("aggregates: unique count", this::uniqueCounts);
    all.put("a row of 3 MiB", () -> largeRow("medium", 3));
    all.put("a row of 20 MiB", () -> largeRow("large", 20));
    all.put("10,000 rows, and a scan ended early", this::manyRows);
    all.put("deadline exceeded", this::deadline);
    all.put("restart in the middle of a scan", this::restartDuringScan);
    all.put("SQL", () -> data.prepareStatement("SELECT 1 AS n", Map.of()));
    all.put(
        "change streams: partitions",
        () -> data.generateInitialChangeStreamPartitions("reads").iterator().hasNext());
    return all;
  }

  /** Rows that reads and filters are tested on. */
  private void sample(String table) {
    checks.create(table, "a", "b");
    checks.put(table, "r1", "a", "x", 1000, "1");
    checks.put(table, "r1", "a", "x", 2000, "2");
    checks.put(table, "r1", "b", "y", 1000, "3");
    checks.put(table, "r2", "a", "x", 1000, "4");
    checks.put(table, "r3", "b", "y", 3000, "5");
  }

  private void readRows() throws Exception {
    sample("reads");
    Checks.equal("row", Checks.show(data.readRow("reads", "r1")), R1);
    Checks.equal("no row", data.readRow("reads", "none"), null);
    Checks.equal("exists", data.exists("reads", "r1"), true);
    Query query = Query.create("reads");
    checks.reads("keys", query.clone().rowKey("r3").rowKey("none").rowKey("r1"), R1 + " | " + R3);
    checks.reads("prefix", query.clone().prefix("r"), String.join(" | ", R1, R2, R3));
    ByteStringRange range = ByteStringRange.unbounded();
    checks.reads("open start", query.clone().range(range.startOpen("r1").endClosed("r3")), R2 + " | " + R3);
    checks.reads("open end", query.clone().range("r1", "r3"), R1 + " | " + R2);
    range = ByteStringRange.unbounded();
    checks.reads("open", query.clone().range(range.startOpen("r1").endOpen("r3")), R2);
    range = ByteStringRange.unbounded().startClosed("r3");
    checks.reads("ranges", query.clone().range("r1", "r2").range(range), R1 + " | " + R3);
    checks.reads("limit", query.clone().limit(2), R1 + " | " + R2);
    try (Batcher<ByteString, Row> batcher = data.newBulkReadRowsBatcher("reads")) {
      var row = batcher.add(ByteString.copyFromUtf8("r2"));
      batcher.flush();
      Checks.equal("batch", Checks.show(row.get()), R2);
    }
    Checks.fails("no such table", "NOT_FOUND", () -> data.readRow("none", "k"));
  }

  private void filter(String table, String what, Filter filter, String... expected) {
    checks.reads(what, Query.create(table).filter(filter), String.join(" | ", expected));
  }

  /** In one family: servers choose the order of families. */
  private static Filter inA(Filter filter) {
    return FILTERS.chain().filter(FILTERS.family().exactMatch("a")).filter(filter);
  }

  private void simpleFilters() {
    sample("filters");
    String t = "filters";
    Filter column = FILTERS.qualifier().rangeWithinFamily("b").startClosed("x").endOpen("z");
    filter(t, "key regex", FILTERS.key().regex("r[23]"), R2, R3);
    filter(t, "family regex", FILTERS.family().regex("b|c"), "r1 b:y@1000=3", R3);
    filter(t, "column regex", FILTERS.qualifier().regex("^x$"), "r1 a:x@2000=2 a:x@1000=1", R2);
    filter(t, "value regex", FILTERS.value().regex("[45]"), R2, R3);
    filter(t, "exact value", FILTERS.value().exactMatch("4"), R2);
    filter(t, "column range", column, "r1 b:y@1000=3", R3);
    filter(
        t, "value range", FILTERS.value().range().startClosed("2").endOpen("4"), "r1 a:x@2000=2 b:y@1000=3");
    filter(
        t, "timestamp range", FILTERS.timestamp().range().startClosed(2000L).endOpen(3000L), "r1 a:x@2000=2");
    filter(t, "latest", FILTERS.limit().cellsPerColumn(1), "r1 a:x@2000=2 b:y@1000=3", R2, R3);
    filter(t, "cells per row", inA(FILTERS.limit().cellsPerRow(1)), "r1 a:x@2000=2", R2);
    filter(t, "offset per row", inA(FILTERS.offset().cellsPerRow(1)), "r1 a:x@1000=1");
    filter(
        t,
        "stripped value",
        FILTERS.value().strip(),
        "r1 a:x@2000= a:x@1000= b:y@1000=",
        "r2 a:x@1000=",
        "r3 b:y@3000=");
    Filter labelled = FILTERS.chain().filter(FILTERS.key().exactMatch("r2")).filter(FILTERS.label("l"));
    filter(t, "label", labelled, R2 + "#l");
    filter(t, "all", FILTERS.pass(), R1, R2, R3);
    filter(t, "none", FILTERS.block());
  }

  private void composedFilters() {
    sample("composed");
    String t = "composed";
    Filter x = FILTERS.qualifier().exactMatch("x");
    Filter y = FILTERS.qualifier().exactMatch("y");
    Filter latest = FILTERS.limit().cellsPerColumn(1);
    Filter newestX = FILTERS.chain().filter(x).filter(latest);
    Filter twice = FILTERS.interleave().filter(x).filter(x);
    Filter sunk =
        FILTERS
            .chain()
            .filter(FILTERS.interleave().filter(FILTERS.sink()).filter(x))
            .filter(FILTERS.block());
    filter(t, "chain", newestX, "r1 a:x@2000=2", R2);
    filter(
        t, "interleave", FILTERS.interleave().filter(y).filter(newestX), "r1 a:x@2000=2 b:y@1000=3", R2, R3);
    filter(
        t,
        "interleave of the same",
        FILTERS.chain().filter(FILTERS.key().exactMatch("r2")).filter(twice),
        R2 + " a:x@1000=4");
    filter(t, "sink", sunk, R1, R2, R3);
    filter(
        t,
        "condition",
        FILTERS.condition(y).then(latest).otherwise(FILTERS.block()),
        "r1 a:x@2000=2 b:y@1000=3",
        R3);
    filter(t, "condition without otherwise", FILTERS.condition(y).then(x), "r1 a:x@2000=2 a:x@1000=1");
  }

  private void reverseScan() {
    sample("reversed");
    Query query = Query.create("reversed").reversed(true);
    checks.reads("all", query.clone(), String.join(" | ", R3, R2, R1));
    checks.reads("limit", query.clone().range("r1", "r3").limit(1), R2);
  }

  private void sampleRowKeys() {
    checks.admin.createTable(CreateTableRequest.of("sampled").addSplit(ByteString.copyFromUtf8("m")));
    Checks.equal("some", data.sampleRowKeys("sampled").isEmpty(), false);
  }

  private void mutateRow() {
    sample("mutated");
    String t = "mutated";
    ByteString x = ByteString.copyFromUtf8("x");
    TimestampRange old = TimestampRange.create(0, 2000);
    data.mutateRow(RowMutation.create(t, "r1").deleteCells("b", "y"));
    data.mutateRow(RowMutation.create(t, "r1").deleteCells("a", x, old));
    data.mutateRow(RowMutation.create(t, "r3").deleteFamily("b"));
    data.mutateRow(RowMutation.create(t, "r2").deleteRow().setCell("b", "z", 5000, "new"));
    checks.reads("after deletes", Query.create(t), "r1 a:x@2000=2 | r2 b:z@5000=new");
    data.mutateRow(RowMutation.create(t, "r1").deleteRow());
    checks.reads("after a deleted row", Query.create(t), "r2 b:z@5000=new");
  }

  private void bulk() {
    checks.create("bulk", "a");
    BulkMutation bulk = BulkMutation.create("bulk");
    String[][] entries = {{"k1", "a"}, {"k2", "none"}, {"k3", "a"}};
    for (String[] entry : entries)
      bulk.add(RowMutationEntry.create(entry[0]).setCell(entry[1], "q", 1000, "v"));
    try {
      data.bulkMutateRows(bulk);
      throw new Checks.Failure("no entry failed");
    } catch (MutateRowsException error) {
      var failed = error.getFailedMutations();
      Checks.equal("entries that failed", failed.size(), 1);
      Checks.equal("index", failed.get(0).getIndex(), 1);
      Checks.equal("status", failed.get(0).getError().getStatusCode().getCode().name(), "NOT_FOUND");
    }
    checks.reads("rows", Query.create("bulk"), "k1 a:q@1000=v | k3 a:q@1000=v");
  }

  private void checkAndMutate() {
    checks.create("checked", "a");
    ConditionalRowMutation change =
        ConditionalRowMutation.create("checked", "k")
            .condition(FILTERS.qualifier().exactMatch("no"))
            .then(Mutation.create().setCell("a", "yes", 1000, "1"))
            .otherwise(Mutation.create().setCell("a", "no", 1000, "1"));
    Checks.equal("first", data.checkAndMutateRow(change), false);
    Checks.equal("second", data.checkAndMutateRow(change), true);
    checks.reads("row", Query.create("checked"), "k a:no@1000=1 a:yes@1000=1");
  }

  private void readModifyWrite() {
    checks.create("modified", "a");
    ReadModifyWriteRow change =
        ReadModifyWriteRow.create("modified", "k").append("a", "text", "ab").increment("a", "number", 7);
    Checks.equal("cells", data.readModifyWriteRow(change).getCells().size(), 2);
    Row row = data.readModifyWriteRow(change);
    Checks.equal("number", number(row.getCells("a", "number").get(0)), 14L);
    Checks.equal("text", row.getCells("a", "text").get(0).getValue().toStringUtf8(), "abab");
  }

  private static long number(RowCell cell) {
    return cell.getValue().asReadOnlyByteBuffer().getLong();
  }

  private void aggregates() {
    checks.admin.createTable(
        CreateTableRequest.of("aggregates")
            .addFamily("sum", Type.int64Sum())
            .addFamily("min", Type.int64Min())
            .addFamily("max", Type.int64Max()));
    for (long number : new long[] {5, 3, 9}) {
      RowMutation mutation = RowMutation.create("aggregates", "k");
      for (String family : List.of("sum", "min", "max")) mutation.addToCell(family, "q", 0, number);
      data.mutateRow(mutation);
    }
    ByteBuffer hundred = ByteBuffer.allocate(8).putLong(0, 100);
    data.mutateRow(
        RowMutation.create("aggregates", "k").mergeToCell("sum", "q", 0, ByteString.copyFrom(hundred)));
    Map<String, Long> values = new TreeMap<>();
    for (RowCell cell : data.readRow("aggregates", "k").getCells())
      values.put(cell.getFamily(), number(cell));
    Checks.equal("values", values, new TreeMap<>(Map.of("sum", 117L, "min", 3L, "max", 9L)));
  }

  private void uniqueCounts() {
    checks.admin.createTable(CreateTableRequest.of("hll").addFamily("a", Type.int64Hll()));
  }

  private void largeRow(String table, int mebibytes) {
    checks.create(table, "a");
    RowMutation mutation = RowMutation.create(table, "k");
    for (int i = 0; i < mebibytes; i++)
      mutation.setCell("a", ByteString.copyFromUtf8(String.format("q%02d", i)), 1000, mebibyte(i));
    data.mutateRow(mutation);
    List<RowCell> cells = data.readRow(table, "k").getCells();
    Checks.equal("cells", cells.size(), mebibytes);
    for (int i = 0; i < mebibytes; i++)
      Checks.equal("same value", cells.get(i).getValue().equals(mebibyte(i)), true);
  }

  private static ByteString mebibyte(int filler) {
    byte[] bytes = new byte[1 << 20];
    Arrays.fill(bytes, (byte) filler);
    return ByteString.copyFrom(bytes);
  }

  private void manyRows() throws Exception {
    checks.create("many", "a");
    ByteString q = ByteString.copyFromUtf8("q");
    ByteString value = mebibyte('v').substring(0, 1024);
    try (Batcher<RowMutationEntry, Void> batcher = data.newBulkMutationBatcher("many")) {
      for (int i = 0; i < 10_000; i++)
        batcher.add(RowMutationEntry.create(String.format("k%05d", i)).setCell("a", q, 1000, value));
    }
    int count = 0;
    for (Row row : data.readRows(Query.create("many"))) count++;
    Checks.equal("rows", count, 10_000);
    ServerStream<Row> stream = data.readRows(Query.create("many"));
    var rows = stream.iterator();
    for (int i = 0; i < 10; i++) rows.next();
    stream.cancel();
  }

  private void deadline() {
    Checks.fails(
        "scan",
        "DEADLINE_EXCEEDED",
        () -> {
          GrpcCallContext context =
              GrpcCallContext.createDefault().withTimeoutDuration(Duration.ofMillis(2));
          data.readRowsCallable().all().call(Query.create("many"), context);
        });
    checks.reads("afterwards", Query.create("reads").rowKey("r2"), R2);
  }

  private void restartDuringScan() throws Exception {
    int count = 0;
    String last = "";
    for (Row row : data.readRows(Query.create("many"))) {
      String key = row.getKey().toStringUtf8();
      if (key.compareTo(last) <= 0) throw new Checks.Failure(key + " after " + last);
      last = key;
      if (++count == 100) Checks.restart();
    }
    Checks.equal("rows", count, 10_000);
  }
}
