import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.models.Row;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import rowsmith.rows.Hourly;

/** Exports the values of all hours to a CSV file. */
final class Export {
  public static void main(String[] args) throws Exception {
    Path path = Path.of(args[0]);
    int count = 0;
    try (BigtableDataClient client = BigtableDataClient.create("demo", "plant");
        PrintWriter file = new PrintWriter(Files.newBufferedWriter(path))) {
      file.println("device,hour,count,mean");
      for (Row stored : client.readRows(Hourly.prefix().query(Hourly.TABLE))) {
        Hourly row = Hourly.fromRow(stored).orElse(null);
        if (row == null) continue;
        file.printf(
            Locale.ROOT, "%s,%s,%d,%.2f\n", row.device(), row.hour(), row.count(), row.mean());
        count++;
      }
    }
    System.out.println("exported " + count + " rows to " + path);
  }
}
