package rowsmith.rows;

import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.Range.TimestampRange;
import com.google.cloud.bigtable.data.v2.models.ReadModifyWriteRow;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowCell;
import com.google.cloud.bigtable.data.v2.models.Value;
import com.google.protobuf.ByteString;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import rowsmith.rows.RowWords.Refused;

/** Reads and writes the rows of an entity: values of segments, then of columns. */
final class RowEntity {
  private static final long MAX_SAFE = (1L << 53) - 1;

  /** What values must be when they are written, beyond their kind. */
  static final class Rules {
    private List<Object> oneOf;
    private int minLength;
    private int maxLength = Integer.MAX_VALUE;
    private Pattern pattern;
    private String shownPattern;
    private Number min;
    private Number max;

    Rules oneOf(Object... members) {
      oneOf = List.of(members);
      return this;
    }

    Rules minLength(int units) {
      minLength = units;
      return this;
    }

    Rules maxLength(int units) {
      maxLength = units;
      return this;
    }

    /** For Java, and as the declaration writes it. */
    Rules pattern(String source, String shown) {
      pattern = Pattern.compile(source);
      shownPattern = shown;
      return this;
    }

    Rules min(Number least) {
      min = least;
      return this;
    }

    Rules max(Number greatest) {
      max = greatest;
      return this;
    }

    boolean isMember(Object value) {
      if (oneOf == null) return true;
      return oneOf.stream()
          .anyMatch(
              each ->
                  each instanceof Number a && value instanceof Number b
                      ? isAtLeast(a, b) && isAtLeast(b, a)
                      : each.equals(value.toString()));
    }

    private String notAMember(Object value) {
      String given = RowWords.textOf(value);
      return RowWords.problem("notOneOf", "given", given, "members", RowWords.membersText(oneOf));
    }

    List<String> issues(Object value) {
      List<String> found = new ArrayList<>();
      String given = RowWords.textOf(value);
      if (!isMember(value)) found.add(notAMember(value));
      int length = lengthOf(value);
      if (length >= 0 && length < minLength)
        found.add(
            RowWords.problem(
                length == 0 ? "emptyText" : "tooShort", "length", length, "min", minLength));
      if (length > maxLength)
        found.add(RowWords.problem("tooLong", "length", length, "max", maxLength));
      if (pattern != null && value instanceof String text && !pattern.matcher(text).find())
        found.add(RowWords.problem("noMatch", "given", given, "pattern", shownPattern));
      if (!(value instanceof Number number)) return found;
      if (min != null && !isAtLeast(number, min))
        found.add(RowWords.problem("tooSmall", "given", given, "min", RowWords.numberText(min)));
      if (max != null && !isAtLeast(max, number))
        found.add(RowWords.problem("tooGreat", "given", given, "max", RowWords.numberText(max)));
      return found;
    }

    private static int lengthOf(Object value) {
      if (value instanceof String text) return text.length();
      return value instanceof ByteString bytes ? bytes.size() : -1;
    }

    private static boolean isAtLeast(Number a, Number b) {
      if (!Double.isFinite(a.doubleValue()) || !Double.isFinite(b.doubleValue()))
        return a.doubleValue() >= b.doubleValue();
      return exact(a).compareTo(exact(b)) >= 0;
    }

    private static BigDecimal exact(Number number) {
      if (number instanceof Double || number instanceof Float)
        return new BigDecimal(number.doubleValue());
      return new BigDecimal(number.toString());
    }
  }

  /** How the cells of a column are read. */
  private enum Kind {
    COLUMN,
    VERSIONS,
    COUNTER,
    MAP
  }

  /** A column, as the entity declares it. */
  static final class Column {
    private final Kind kind;
    private final String property;
    private final String family;
    private final ByteString qualifier;
    private final RowCells.Codec codec;
    private final List<ByteString> qualifiers = new ArrayList<>();
    private RowCells.Qualifiers keys;
    private Object defaultValue;
    private boolean required;
    private boolean aggregate;
    private Rules rules;

    private Column(
        Kind kind, String property, String family, String qualifier, RowCells.Codec codec) {
      this.kind = kind;
      this.property = property;
      this.family = family;
      this.qualifier = RowFields.bytesOf(qualifier);
      this.codec = codec;
      qualifiers.add(this.qualifier);
    }

    /** Earlier qualifiers, of which the first with a cell is read. */
    Column alsoReads(String... earlier) {
      for (String each : earlier) qualifiers.add(RowFields.bytesOf(each));
      return this;
    }

    Column defaultValue(Object constant) {
      defaultValue = constant;
      return this;
    }

    Column required() {
      required = true;
      return this;
    }

    Column aggregate() {
      aggregate = true;
      return this;
    }

    Column rules(Rules given) {
      rules = given;
      return this;
    }

    private Object blank() {
      return switch (kind) {
        case MAP -> Map.of();
        case VERSIONS -> List.of();
        default -> defaultValue;
      };
    }

    private boolean isDefault(Object value) {
      try {
        return defaultValue != null && codec.encode(value).equals(codec.encode(defaultValue));
      } catch (Refused refused) {
        return false;
      }
    }
  }

  static Column column(String property, String family, String qualifier, RowCells.Codec codec) {
    return new Column(Kind.COLUMN, property, family, qualifier, codec);
  }

  static Column versions(String property, String family, String qualifier, RowCells.Codec codec) {
    return new Column(Kind.VERSIONS, property, family, qualifier, codec);
  }

  static Column counter(String property, String family, String qualifier, RowCells.Codec codec) {
    return new Column(Kind.COUNTER, property, family, qualifier, codec);
  }

  static Column map(String property, String family, RowKeys.Segment keys, RowCells.Codec codec) {
    Column column = new Column(Kind.MAP, property, family, "", codec);
    column.keys = new RowCells.Qualifiers(keys);
    return column;
  }

  static Rules rules() {
    return new Rules();
  }

  static Object[] values(Object... values) {
    return values;
  }

  /** A family and a qualifier. */
  private record Place(String family, ByteString qualifier) {}

  /** Microseconds after which garbage collection removes cells, and the rule as text. */
  private record MaxAge(long micros, String rule) {}

  private final RowKeys keys;
  private final List<Column> columns;
  private final Set<String> families = new HashSet<>();
  private final Map<String, MaxAge> maxAges = new HashMap<>();
  private Place marker;
  private Place exists;
  private String cellTime;
  private String expiry;
  private long expiryMicros;

  RowEntity(RowKeys keys, Column... columns) {
    this.keys = keys;
    this.columns = List.of(columns);
    for (Column column : columns) families.add(column.family);
  }

  RowEntity marker(String family, String qualifier) {
    marker = new Place(family, RowFields.bytesOf(qualifier));
    families.add(family);
    return this;
  }

  /** Without this cell, a row does not exist. */
  RowEntity exists(String family, String qualifier) {
    exists = new Place(family, RowFields.bytesOf(qualifier));
    return this;
  }

  RowEntity cellTime(String property) {
    cellTime = property;
    return this;
  }

  /** The property with the time at which a row expires, and the age of its cells. */
  RowEntity expiry(String property, long ageMicros) {
    expiry = property;
    expiryMicros = ageMicros;
    return this;
  }

  RowEntity maxAge(String family, long micros, String rule) {
    maxAges.put(family, new MaxAge(micros, rule));
    return this;
  }

  /** The values of a row with defaults only. */
  Object[] blank(Object... segments) {
    List<Object> values = new ArrayList<>(Arrays.asList(segments));
    for (Column column : columns) values.add(column.blank());
    return values.toArray();
  }

  // --- Reading

  /** The values; null if the row does not exist. */
  Object[] read(Row row) {
    if (row == null) return null;
    Object[] segments = keys.parse(row.getKey());
    Map<Place, List<RowCell>> cells =
        row.getCells().stream()
            .collect(
                Collectors.groupingBy(
                    each -> new Place(each.getFamily(), each.getQualifier()),
                    LinkedHashMap::new,
                    Collectors.toList()));
    if (exists != null && !cells.containsKey(exists)) return null;
    if (cells.keySet().stream().noneMatch(each -> families.contains(each.family))) return null;
    Object[] values = blank(segments);
    List<String> missing = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      Object value = readColumn(column, cells);
      if (value == null && column.required) missing.add(column.property);
      values[segments.length + i] = value;
    }
    if (missing.isEmpty()) return values;
    String names = missing.stream().map(each -> "'" + each + "'").collect(Collectors.joining(", "));
    String verb = missing.size() == 1 ? "is" : "are";
    String first = missing.get(0);
    throw RowWords.error(
        "INCOMPLETE_ROW", "incompleteRow", keys.entity, first, "names", names, "verb", verb);
  }

  private Object readColumn(Column column, Map<Place, List<RowCell>> cells) {
    try {
      if (column.kind == Kind.MAP) return readMap(column, cells);
      if (column.kind == Kind.VERSIONS) return readVersions(column, cells);
      for (ByteString qualifier : column.qualifiers) {
        List<RowCell> stored = cells.get(new Place(column.family, qualifier));
        if (stored == null) continue;
        Object value = column.codec.decode(stored.get(0).getValue());
        if (column.rules == null || column.rules.isMember(value)) return value;
        String given = RowWords.textOf(value);
        String members = RowWords.membersText(column.rules.oneOf);
        throw new Refused("notOneOf", "given", given, "members", members);
      }
      return column.defaultValue;
    } catch (Refused refused) {
      throw refused.error("DAMAGED_CELL", keys.entity, column.property);
    }
  }

  private static Object readMap(Column column, Map<Place, List<RowCell>> cells) {
    Map<Object, Object> found = new LinkedHashMap<>();
    cells.forEach(
        (place, stored) -> {
          if (place.family.equals(column.family))
            found.put(
                column.keys.decode(place.qualifier), column.codec.decode(stored.get(0).getValue()));
        });
    return found;
  }

  private static Object readVersions(Column column, Map<Place, List<RowCell>> cells) {
    List<Object> found = new ArrayList<>();
    for (RowCell each : cells.getOrDefault(new Place(column.family, column.qualifier), List.of())) {
      Instant at = Instant.ofEpochMilli(Math.floorDiv(each.getTimestamp(), 1000));
      found.add(new Rows.Version<>(at, column.codec.decode(each.getValue())));
    }
    return found;
  }

  // --- Writing

  /** Changes of a row, before they are mutations. */
  private static final class Changes {
    final Mutation mutation = Mutation.create();
    final List<String> families = new ArrayList<>();
    final List<Long> times = new ArrayList<>();
    final long at;
    final boolean replace;

    Changes(long at, boolean replace) {
      this.at = at;
      this.replace = replace;
    }

    void set(String family, ByteString qualifier, long micros, ByteString raw) {
      mutation.setCell(family, qualifier, micros, raw);
      families.add(family);
      times.add(micros);
    }

    /** Newer cells are left, as their values would be. */
    void delete(String family, ByteString qualifier) {
      mutation.deleteCells(family, qualifier, TimestampRange.unbounded().endOpen(at + 1000));
    }

    void deleteAll(String family, ByteString qualifier) {
      mutation.deleteCells(family, qualifier);
    }
  }

  /** The whole row: with {@code replace}, columns without a value are deleted. */
  Mutation mutations(Object[] values, Instant now, boolean replace) {
    check(values);
    keys.encode(values);
    Changes changes = new Changes(cellMicros(values, now), replace);
    int first = keys.segments.size();
    List<Integer> defaults = new ArrayList<>();
    List<RowsmithException> refused = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      if (column.kind == Kind.COUNTER || (column.kind == Kind.MAP && column.aggregate)) continue;
      Object value = values[first + i];
      boolean isDefault = value != null && column.isDefault(value);
      if (isDefault) defaults.add(i);
      try {
        if (value != null && !isDefault) write(column, value, changes);
        else if (replace) delete(column, changes);
      } catch (Refused error) {
        refused.add(error.error("INVALID_VALUE", keys.entity, column.property));
      }
    }
    refuseValues(refused);
    if (marker != null) {
      mark(changes.mutation, changes.at);
      changes.families.add(marker.family);
      changes.times.add(changes.at);
    } else if (changes.families.isEmpty()) {
      // A row has a cell. It is the only reason to store a default.
      for (int i : defaults) write(columns.get(i), values[first + i], changes);
      if (defaults.isEmpty()) throw RowWords.error("EMPTY_ROW", "emptyRow", keys.entity, null);
    }
    if (!replace) refuseExpired(changes, now);
    return changes.mutation;
  }

  /** Refuses values that break the rules of the declaration. */
  private void check(Object[] values) {
    List<String[]> issues = new ArrayList<>();
    int index = 0;
    for (RowKeys.Segment segment : keys.segments) {
      Object value = values[index++];
      if (segment.rules == null || value == null) continue;
      if (value instanceof String text)
        value =
            new RowFields.Text(null, segment.normalize, segment.lower, List.of()).canonical(text);
      for (String each : segment.rules.issues(value))
        issues.add(new String[] {segment.property, each});
    }
    for (Column column : columns) {
      Object value = values[index++];
      if (value == null && column.required)
        issues.add(new String[] {column.property, RowWords.problem("required")});
      else if (value != null && column.rules != null)
        for (String each : column.rules.issues(value))
          issues.add(new String[] {column.property, each});
    }
    refuseAll("VALIDATION_FAILED", issues, "brokenRules");
  }

  private void refuseValues(List<RowsmithException> refused) {
    if (refused.size() == 1) throw refused.get(0);
    refuseAll(
        "INVALID_VALUE",
        refused.stream().map(each -> new String[] {each.property(), each.problem()}).toList(),
        "wrongValues");
  }

  private void refuseAll(String code, List<String[]> issues, String word) {
    if (issues.isEmpty()) return;
    String text =
        issues.stream()
            .limit(10)
            .map(each -> each[0] + ": " + each[1])
            .collect(Collectors.joining("; "));
    if (issues.size() > 10) text += "; and " + (issues.size() - 10) + " more";
    throw new RowsmithException(code, text, RowWords.fix(word), keys.entity, issues.get(0)[0]);
  }

  private void write(Column column, Object value, Changes changes) {
    if (column.kind == Kind.MAP) {
      writeMap(column, (Map<?, ?>) value, changes);
      return;
    }
    if (column.kind == Kind.VERSIONS) {
      writeVersions(column, (List<?>) value, changes);
      return;
    }
    ByteString raw = column.codec.encode(value);
    if (expiry != null) delete(column, changes);
    changes.set(column.family, column.qualifier, changes.at, raw);
    if (expiry != null || !changes.replace) return;
    for (ByteString each : column.qualifiers.subList(1, column.qualifiers.size()))
      changes.delete(column.family, each);
  }

  private static void writeMap(Column column, Map<?, ?> map, Changes changes) {
    if (changes.replace) changes.mutation.deleteFamily(column.family);
    map.forEach(
        (key, value) -> {
          ByteString qualifier = column.keys.encode(key);
          if (value != null) {
            ByteString raw = encodedAt(column.codec, value, RowWords.indexPath(key));
            changes.set(column.family, qualifier, changes.at, raw);
          } else if (!changes.replace) changes.delete(column.family, qualifier);
        });
  }

  private static void writeVersions(Column column, List<?> versions, Changes changes) {
    if (changes.replace) changes.deleteAll(column.family, column.qualifier);
    Set<Long> times = new HashSet<>();
    for (int i = 0; i < versions.size(); i++) {
      String path = "[" + i + "]";
      if (!(versions.get(i) instanceof Rows.Version<?> version)
          || version.at() == null
          || version.value() == null
          || version.at().isBefore(Instant.EPOCH))
        throw new Refused("notAVersion", "given", RowWords.textOf(versions.get(i))).at(path);
      long ms = RowFields.millis(version.at());
      if (!times.add(ms)) throw new Refused("duplicateVersion", "at", version.at()).at(path);
      ByteString raw = encodedAt(column.codec, version.value(), path + ".value");
      changes.set(column.family, column.qualifier, ms * 1000, raw);
    }
  }

  private static ByteString encodedAt(RowCells.Codec codec, Object value, String path) {
    try {
      return codec.encode(value);
    } catch (Refused refused) {
      throw refused.at(path);
    }
  }

  private void delete(Column column, Changes changes) {
    if (column.kind == Kind.MAP) changes.mutation.deleteFamily(column.family);
    else
      for (ByteString each : column.qualifiers)
        if (column.kind == Kind.VERSIONS || expiry != null) changes.deleteAll(column.family, each);
        else changes.delete(column.family, each);
  }

  private void mark(Mutation mutation, long at) {
    if (expiry != null) mutation.deleteCells(marker.family, marker.qualifier);
    mutation.setCell(marker.family, marker.qualifier, at, ByteString.EMPTY);
  }

  /** The timestamp of the cells: what a property says, else now. */
  private long cellMicros(Object[] values, Instant now) {
    if (expiry != null) return expiringMicros(valueOf(expiry, values));
    if (cellTime == null) return nowMicros(now);
    long ms = millisOr(valueOf(cellTime, values), -1);
    if (ms >= 0) return ms * 1000;
    throw RowWords.error("INVALID_VALUE", "wrongCellTime", keys.entity, cellTime, "name", cellTime);
  }

  private long expiringMicros(Object value) {
    long ms = millisOr(value, Long.MIN_VALUE);
    long micros = ms == Long.MIN_VALUE ? -1 : ms * 1000 - expiryMicros;
    if (micros >= 0) return micros;
    Object given = value instanceof Instant ? value : RowWords.textOf(value);
    Instant first = Instant.ofEpochMilli(expiryMicros / 1000);
    throw RowWords.error(
        "INVALID_VALUE", "wrongExpiry", keys.entity, expiry, "given", given, "first", first);
  }

  private static long millisOr(Object value, long fallback) {
    try {
      return RowFields.millis(value);
    } catch (Refused refused) {
      return fallback;
    }
  }

  private Object valueOf(String property, Object[] values) {
    List<String> names = new ArrayList<>();
    keys.segments.forEach(each -> names.add(each.property));
    columns.forEach(each -> names.add(each.property));
    return values[names.indexOf(property)];
  }

  private static long nowMicros(Instant now) {
    return (now == null ? System.currentTimeMillis() : RowFields.millis(now)) * 1000;
  }

  /** Refuses a new row that garbage collection would hide at once. */
  private void refuseExpired(Changes changes, Instant now) {
    long current = nowMicros(now);
    int newest = -1;
    for (int i = 0; i < changes.families.size(); i++) {
      MaxAge limit = maxAges.get(changes.families.get(i));
      if (limit == null || current - changes.times.get(i) <= limit.micros) return;
      if (newest < 0 || changes.times.get(i) > changes.times.get(newest)) newest = i;
    }
    if (newest < 0) return;
    String family = changes.families.get(newest);
    Instant at = Instant.ofEpochMilli(changes.times.get(newest) / 1000);
    throw RowWords.error(
        "INVALID_VALUE",
        "expiredRow",
        keys.entity,
        null,
        "at",
        at,
        "rule",
        maxAges.get(family).rule,
        "family",
        family);
  }

  // --- Counters, by their index among the columns

  ReadModifyWriteRow increment(ReadModifyWriteRow to, int index, long amount) {
    Column column = columns.get(index);
    return to.increment(column.family, column.qualifier, amount);
  }

  /** Adds to a counter of an aggregate family; {@code key} is one of its map. */
  Mutation add(Mutation to, int index, Object key, long amount) {
    Column column = columns.get(index);
    ByteString qualifier = column.keys == null ? column.qualifier : column.keys.encode(key);
    Value name = Value.rawValue(qualifier);
    to.addToCell(column.family, name, Value.rawTimestamp(0), Value.intValue(amount));
    if (marker != null) mark(to, nowMicros(null));
    return to;
  }

  // --- Rows of rollups

  /** A number of a rollup: an integer, divided by a power of ten. */
  static Double scaled(Object value, int decimals) {
    return value == null ? null : Double.valueOf((Long) value / Math.pow(10, decimals));
  }

  /** The same for numbers of 32 bits. */
  static Double single(Object value, int decimals) {
    return value == null ? null : Double.valueOf(scaled(value, decimals).floatValue());
  }

  static BigDecimal decimal(Object value, int decimals) {
    return value == null ? null : BigDecimal.valueOf((Long) value, decimals);
  }

  /** Whether no write of a bucket is under way, and its extremes are known. */
  static boolean isSettled(Object marks, Object state) {
    return ((Map<?, ?>) marks).isEmpty() && !((Map<?, ?>) state).containsKey("s");
  }

  static Instant time(Object value) {
    return value == null ? null : Instant.ofEpochMilli((Long) value);
  }

  static long orZero(Object value) {
    return value == null ? 0 : (Long) value;
  }

  /** Rounded as in TypeScript. */
  static Double mean(Object sum, Object count, int decimals) {
    if (orZero(count) == 0) return null;
    BigInteger total = BigInteger.valueOf(orZero(sum));
    BigInteger divisor = BigInteger.TEN.pow(decimals).multiply(BigInteger.valueOf((Long) count));
    BigInteger safe = BigInteger.valueOf(MAX_SAFE);
    if (total.abs().compareTo(safe) <= 0 && divisor.compareTo(safe) <= 0)
      return total.doubleValue() / divisor.doubleValue();
    BigInteger[] parts = total.abs().divideAndRemainder(divisor);
    double number = parts[0].doubleValue() + parts[1].doubleValue() / divisor.doubleValue();
    return total.signum() < 0 ? -number : number;
  }

  /** Refuses to write rows that other rows follow from, or code of TypeScript checks. */
  static RowsmithException unwritable(String entity, String reason) {
    return RowWords.error("UNSUPPORTED", "unwritable", entity, null, "reason", reason);
  }
}
