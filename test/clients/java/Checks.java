import com.google.api.gax.rpc.ApiException;
import com.google.cloud.bigtable.admin.v2.BigtableTableAdminClient;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowCell;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.cloud.bigtable.data.v2.models.TargetId;
import com.google.gson.Gson;
import io.grpc.StatusRuntimeException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Google's Java client against the server that BIGTABLE_EMULATOR_HOST names: prints a line of JSON
 * for each check. The harness (../clients.ts) restarts the server when a check asks for it.
 */
public final class Checks {
  static final String PROJECT = "p";
  static final String INSTANCE = "java";

  interface Check {
    void run() throws Exception;
  }

  /** A check that this server gives no occasion for. */
  static final class NotRun extends RuntimeException {}

  static final class Failure extends RuntimeException {
    Failure(String message) {
      super(message);
    }
  }

  final BigtableDataClient data;
  final BigtableTableAdminClient admin;
  private static final BufferedReader ANSWERS = new BufferedReader(new InputStreamReader(System.in));

  private Checks(BigtableDataClient data, BigtableTableAdminClient admin) {
    this.data = data;
    this.admin = admin;
  }

  public static void main(String[] arguments) throws Exception {
    try (BigtableDataClient data = BigtableDataClient.create(PROJECT, INSTANCE);
        BigtableTableAdminClient admin = BigtableTableAdminClient.create(PROJECT, INSTANCE)) {
      Checks checks = new Checks(data, admin);
      TableChecks tables = new TableChecks(checks);
      Map<String, Check> all = new LinkedHashMap<>(tables.all());
      all.putAll(new DataChecks(checks).all());
      // Ends Google's emulator.
      all.put("backups", tables::backups);
      all.forEach(Checks::run);
    }
    System.exit(0);
  }

  private static void run(String name, Check check) {
    long started = System.nanoTime();
    String detail = "";
    try {
      check.run();
    } catch (Throwable error) {
      detail = detail(error);
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("check", name);
    line.put("ok", detail.isEmpty());
    line.put("detail", detail);
    line.put("ms", (System.nanoTime() - started) / 1_000_000);
    print(line);
  }

  private static void print(Map<String, Object> line) {
    System.out.println(new Gson().toJson(line));
    System.out.flush();
  }

  private static String detail(Throwable error) {
    if (error instanceof NotRun) return "not run";
    if (error instanceof Failure) return error.getMessage();
    return statusOf(error) + ": " + error.getMessage();
  }

  /** The status of an error or of its cause. */
  static String statusOf(Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (each instanceof ApiException) return ((ApiException) each).getStatusCode().getCode().name();
      if (each instanceof StatusRuntimeException)
        return ((StatusRuntimeException) each).getStatus().getCode().name();
    }
    return error.getClass().getSimpleName();
  }

  /** Asks the harness to end the server and to start it again with its data. */
  static void restart() throws Exception {
    print(Map.of("ask", "restart"));
    if ("no".equals(ANSWERS.readLine())) throw new NotRun();
  }

  static void equal(String what, Object got, Object expected) {
    if (!Objects.equals(got, expected))
      throw new Failure(what + ": " + got + " instead of " + expected);
  }

  static void fails(String what, String code, Check check) {
    try {
      check.run();
    } catch (Throwable error) {
      equal(what, statusOf(error), code);
      return;
    }
    throw new Failure(what + ": OK instead of " + code);
  }

  void create(String table, String... families) {
    CreateTableRequest request = CreateTableRequest.of(table);
    for (String family : families) request.addFamily(family);
    admin.createTable(request);
  }

  void put(TargetId target, String key, String family, String column, long micros, String value) {
    data.mutateRow(RowMutation.create(target, key).setCell(family, column, micros, value));
  }

  void put(String table, String key, String family, String column, long micros, String value) {
    put(TableId.of(table), key, family, column, micros, value);
  }

  /**
   * Rows as `key family:column@timestamp=value#label ...`, separated by ` | `; cells by family, since
   * servers choose the order of families.
   */
  String read(Query query) {
    List<String> shown = new ArrayList<>();
    for (Row row : data.readRows(query)) shown.add(show(row));
    return String.join(" | ", shown);
  }

  static String show(Row row) {
    StringBuilder shown = new StringBuilder(row.getKey().toStringUtf8());
    List<RowCell> cells = new ArrayList<>(row.getCells());
    cells.sort(Comparator.comparing(RowCell::getFamily));
    for (RowCell cell : cells) {
      shown.append(' ').append(cell.getFamily()).append(':');
      shown.append(cell.getQualifier().toStringUtf8()).append('@').append(cell.getTimestamp());
      shown.append('=').append(cell.getValue().toStringUtf8());
      for (String label : cell.getLabels()) shown.append('#').append(label);
    }
    return shown.toString();
  }

  void reads(String what, Query query, String expected) {
    equal(what, read(query), expected);
  }
}
