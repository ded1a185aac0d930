import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import rowsmith.rows.Reading;

/**
 * Prints, as JSON, microseconds a key of the generated class and of the same by hand. The keys are
 * tenant (text), device (text) and at (milliseconds, newest first). Both ways take turns.
 */
final class Keys {
  private record Values(String tenant, String device, Instant at) {}

  private static final long TOP = 10_000_000_000_000L - 1;

  /** Results are kept, so that nothing is left out. */
  private static long size;

  private static String escaped(String text) {
    for (int i = 0; i < text.length(); i++)
      if (text.charAt(i) < '\'') throw new IllegalArgumentException("the escapes are not needed");
    return text;
  }

  private static ByteString encodeByHand(Values row) {
    String digits = Long.toString(TOP - row.at().toEpochMilli());
    return ByteString.copyFromUtf8(
        escaped(row.tenant())
            + "#"
            + escaped(row.device())
            + "#"
            + "0".repeat(13 - digits.length())
            + digits);
  }

  private static Values decodeByHand(ByteString key) {
    String[] parts = key.toString(StandardCharsets.UTF_8).split("#");
    return new Values(parts[0], parts[1], Instant.ofEpochMilli(TOP - Long.parseLong(parts[2])));
  }

  public static void main(String[] args) {
    Instant start = Instant.parse("2026-11-28T00:00:00Z");
    List<Values> rows = new ArrayList<>();
    List<ByteString> keys = new ArrayList<>();
    for (int n = 0; n < 200; n++) {
      String device = "device-%04d".formatted(n % 101);
      Values row = new Values("tenant-" + n % 7, device, start.plusMillis(n));
      ByteString key = Reading.keyOf(row.tenant(), row.device(), row.at());
      Reading.Key parsed = Reading.parseKey(key);
      Values values = new Values(parsed.tenant(), parsed.device(), parsed.at());
      if (!key.equals(encodeByHand(row)) || !values.equals(row) || !decodeByHand(key).equals(row))
        throw new IllegalStateException("the ways differ: " + key);
      rows.add(row);
      keys.add(key);
    }
    Map<String, IntConsumer> ways = new LinkedHashMap<>();
    ways.put(
        "encode.generated",
        i -> {
          Values row = rows.get(i);
          size += Reading.keyOf(row.tenant(), row.device(), row.at()).size();
        });
    ways.put("encode.hand", i -> size += encodeByHand(rows.get(i)).size());
    ways.put("decode.generated", i -> size += Reading.parseKey(keys.get(i)).tenant().length());
    ways.put("decode.hand", i -> size += decodeByHand(keys.get(i)).tenant().length());
    // The compiler of the virtual machine needs that many.
    measure(ways, 3000);
    StringBuilder json = new StringBuilder();
    measure(ways, 1000).forEach((name, samples) -> json.append(",\"" + name + "\":" + samples));
    System.out.println("{" + json.substring(1) + "}");
  }

  private static Map<String, List<Double>> measure(Map<String, IntConsumer> ways, int rounds) {
    Map<String, List<Double>> found = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++)
      ways.forEach(
          (name, way) -> {
            long started = System.nanoTime();
            for (int i = 0; i < 200; i++) way.accept(i);
            double micros = (System.nanoTime() - started) / 1000.0 / 200;
            found.computeIfAbsent(name, key -> new ArrayList<>()).add(micros);
          });
    return found;
  }
}
