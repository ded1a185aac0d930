  /** What values must be when they are written, beyond their kind. */
  static final class Rules {
    private List<Object> oneOf; //if oneOf
    private int minLength; //if lengths
    private int maxLength = Integer.MAX_VALUE; //if lengths
    private Pattern pattern; //if patterns
    private String shownPattern; //if patterns
    private Number min; //if limits
    private Number max; //if limits

    //if oneOf
    Rules oneOf(Object... members) {
      oneOf = List.of(members);
      return this;
    }

    //end
    //if lengths
    Rules minLength(int units) {
      minLength = units;
      return this;
    }

    //end
    //if lengths
    Rules maxLength(int units) {
      maxLength = units;
      return this;
    }

    //end
    //if patterns
    /** For Java, and as the declaration writes it. */
    Rules pattern(String source, String shown) {
      pattern = Pattern.compile(source);
      shownPattern = shown;
      return this;
    }

    //end
    //if limits
    Rules min(Number least) {
      min = least;
      return this;
    }

    //end
    //if limits
    Rules max(Number greatest) {
      max = greatest;
      return this;
    }

    //end
    //if oneOf
    boolean isMember(Object value) {
      if (oneOf == null) return true;
      return oneOf.stream()
          .anyMatch(
              each ->
                  each instanceof Number a && value instanceof Number b
                      ? isAtLeast(a, b) && isAtLeast(b, a)
                      : each.equals(value.toString()));
    }

    //end
    List<String> issues(Object value) {
      List<String> found = new ArrayList<>();
      String given = textOf(value);
      //if oneOf
      if (!isMember(value))
        found.add(problem("notOneOf", "given", given, "members", membersText(oneOf)));
      //end
      //if lengths
      int length = lengthOf(value);
      if (length >= 0 && length < minLength) {
        String word = length == 0 ? "emptyText" : "tooShort";
        found.add(problem(word, "length", length, "min", minLength));
      }
      if (length > maxLength) found.add(problem("tooLong", "length", length, "max", maxLength));
      //end
      //if patterns
      if (pattern != null && value instanceof String text && !pattern.matcher(text).find())
        found.add(problem("noMatch", "given", given, "pattern", shownPattern));
      //end
      //if limits
      if (value instanceof Number number && min != null && !isAtLeast(number, min))
        found.add(problem("tooSmall", "given", given, "min", numberText(min)));
      if (value instanceof Number number && max != null && !isAtLeast(max, number))
        found.add(problem("tooGreat", "given", given, "max", numberText(max)));
      //end
      return found;
    }

    private static int lengthOf(Object value) {
      if (value instanceof String text) return text.length();
      return value instanceof ByteString bytes ? bytes.size() : -1;
    }

    private static boolean isAtLeast(Number a, Number b) {
      if (!Double.isFinite(a.doubleValue()) || !Double.isFinite(b.doubleValue()))
        return a.doubleValue() >= b.doubleValue();
      return exactNumber(a).compareTo(exactNumber(b)) >= 0;
    }

    private static BigDecimal exactNumber(Number number) {
      if (number instanceof Double || number instanceof Float)
        return new BigDecimal(number.doubleValue());
      return new BigDecimal(number.toString());
    }
  }

  /** A column, as the entity declares it; {@code kind} is how its cells are read. */
  static final class Column {
    private final String kind; //if versions counter map
    private final String property;
    private final String family;
    private final ByteString qualifier;
    private final Codec codec;
    private List<ByteString> earlier = List.of(); //if alsoReads
    private Qualifiers keys; //if map
    private Object defaultValue; //if defaults
    private boolean required; //if required
    private boolean aggregate; //if aggregates
    private Rules rules; //if columnRules

    //if versions counter map
    private Column(String kind, String property, String family, String qualifier, Codec codec) {
      this.kind = kind;
    //end
    private Column(String property, String family, String qualifier, Codec codec) { //if !versions+!counter+!map
      this.property = property;
      this.family = family;
      this.qualifier = bytesOf(qualifier);
      this.codec = codec;
    }

    /** Earlier qualifiers, of which the first with a cell is read. */
    Column alsoReads(String... names) {
      earlier = Arrays.stream(names).map(Rows::bytesOf).toList();
      return this;
    }

    //if defaults
    Column defaultValue(Object constant) {
      defaultValue = constant;
      return this;
    }

    //end
    //if required
    Column required() {
      required = true;
      return this;
    }

    //end
    //if aggregates
    Column aggregate() {
      aggregate = true;
      return this;
    }

    //end
    //if columnRules
    Column rules(Rules given) {
      rules = given;
      return this;
    }

    //end
    private Object blank() {
      if (kind.equals("map")) return Map.of(); //if map
      if (kind.equals("versions")) return List.of(); //if versions
      return defaultValue; //if defaults
      return null; //if !defaults
    }

    private boolean isDefault(Object value) {
      try {
        return defaultValue != null && codec.encode(value).equals(codec.encode(defaultValue));
      } catch (Refused refused) {
        return false;
      }
    }
  }

  static Column column(String property, String family, String qualifier, Codec codec) {
    return new Column("column", property, family, qualifier, codec); //if versions counter map
    return new Column(property, family, qualifier, codec); //if !versions+!counter+!map
  }

  static Column versions(String property, String family, String qualifier, Codec codec) {
    return new Column("versions", property, family, qualifier, codec);
  }

  static Column counter(String property, String family, String qualifier, Codec codec) {
    return new Column("counter", property, family, qualifier, codec);
  }

  //if map
  static Column map(String property, String family, Segment keys, Codec codec) {
    Column column = new Column("map", property, family, "", codec);
    column.keys = new Qualifiers(keys);
    return column;
  }

  //end
  //if rules
  static Rules rules() {
    return new Rules();
  }

  //end
  static Object[] values(Object... values) {
    return values;
  }

  /** A family and a qualifier. */
  private record Place(String family, ByteString qualifier) {}

  /** Microseconds after which garbage collection removes cells, and the rule as text. */
  private record MaxAge(long micros, String rule) {}

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
      found.add(new Version<>(at, column.codec.decode(each.getValue())));
    }
    return found;
  }

  /** Changes of a row, before they are mutations. */
  private static final class Changes {
    final Mutation mutation = Mutation.create();
    boolean isEmpty = true;
    final List<String> families = new ArrayList<>(); //if maxAges
    final List<Long> times = new ArrayList<>(); //if maxAges
    final long at;
    final boolean replace;

    Changes(long at, boolean replace) {
      this.at = at;
      this.replace = replace;
    }

    void set(String family, ByteString qualifier, long micros, ByteString raw) {
      mutation.setCell(family, qualifier, micros, raw);
      isEmpty = false;
      families.add(family); //if maxAges
      times.add(micros); //if maxAges
    }

    /** Newer cells are left, as their values would be. */
    void delete(String family, ByteString qualifier) {
      mutation.deleteCells(family, qualifier, TimestampRange.unbounded().endOpen(at + 1000));
    }

    void deleteAll(String family, ByteString qualifier) {
      mutation.deleteCells(family, qualifier);
    }
  }

  private static void writeMap(Column column, Map<?, ?> map, Changes changes) {
    if (changes.replace) changes.mutation.deleteFamily(column.family);
    map.forEach(
        (key, value) -> {
          ByteString qualifier = column.keys.encode(key);
          if (value != null) {
            ByteString raw = encodedAt(column.codec, value, indexPath(key));
            changes.set(column.family, qualifier, changes.at, raw);
          } else if (!changes.replace) changes.delete(column.family, qualifier);
        });
  }

  private static void writeVersions(Column column, List<?> versions, Changes changes) {
    if (changes.replace) changes.deleteAll(column.family, column.qualifier);
    Set<Long> times = new HashSet<>();
    for (int i = 0; i < versions.size(); i++) {
      String path = "[" + i + "]";
      if (!(versions.get(i) instanceof Version<?> version)
          || version.at() == null
          || version.value() == null
          || version.at().isBefore(Instant.EPOCH))
        throw new Refused("notAVersion", "given", textOf(versions.get(i))).at(path);
      long ms = millis(version.at());
      if (!times.add(ms)) throw new Refused("duplicateVersion", "at", version.at()).at(path);
      ByteString raw = encodedAt(column.codec, version.value(), path + ".value");
      changes.set(column.family, column.qualifier, ms * 1000, raw);
    }
  }

  private static ByteString encodedAt(Codec codec, Object value, String path) {
    try {
      return codec.encode(value);
    } catch (Refused refused) {
      throw refused.at(path);
    }
  }

  private static long millisOr(Object value, long fallback) {
    try {
      return millis(value);
    } catch (Refused refused) {
      return fallback;
    }
  }

  private static long nowMicros(Instant now) {
    return (now == null ? System.currentTimeMillis() : millis(now)) * 1000;
  }

  //if rollups
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

  //end
  /** Reads and writes the rows of an entity: values of segments, then of columns. */
  static final class Entity {
    private final Keys keys;
    private final List<Column> columns;
    private final Set<String> families = new HashSet<>();
    private final Map<String, MaxAge> maxAges = new HashMap<>(); //if maxAges
    private Place marker; //if marker
    private Place exists; //if exists
    private String cellTime; //if cellTime
    private String expiry; //if expiry
    private long expiryMicros; //if expiry

    Entity(Keys keys, Column... columns) {
      this.keys = keys;
      this.columns = List.of(columns);
      for (Column column : columns) families.add(column.family);
    }

    //if marker
    Entity marker(String family, String qualifier) {
      marker = new Place(family, bytesOf(qualifier));
      families.add(family);
      return this;
    }

    //end
    //if exists
    /** Without this cell, a row does not exist. */
    Entity exists(String family, String qualifier) {
      exists = new Place(family, bytesOf(qualifier));
      return this;
    }

    //end
    //if cellTime
    Entity cellTime(String property) {
      cellTime = property;
      return this;
    }

    //end
    /** The property with the time at which a row expires, and the age of its cells. */
    Entity expiry(String property, long ageMicros) {
      expiry = property;
      expiryMicros = ageMicros;
      return this;
    }

    //if maxAges
    Entity maxAge(String family, long micros, String rule) {
      maxAges.put(family, new MaxAge(micros, rule));
      return this;
    }

    //end
    /** The values of a row with defaults only. */
    Object[] blank(Object... segments) {
      List<Object> values = new ArrayList<>(Arrays.asList(segments));
      for (Column column : columns) values.add(column.blank());
      return values.toArray();
    }

    /** The values; null if the row does not exist. */
    Object[] read(Row row) {
      if (row == null) return null;
      Object[] segments = keys.parse(row.getKey());
      Map<Place, List<RowCell>> cells = new LinkedHashMap<>();
      for (RowCell each : row.getCells()) {
        Place place = new Place(each.getFamily(), each.getQualifier());
        cells.computeIfAbsent(place, none -> new ArrayList<>()).add(each);
      }
      if (exists != null && !cells.containsKey(exists)) return null; //if exists
      if (cells.keySet().stream().noneMatch(each -> families.contains(each.family))) return null;
      List<Object> values = new ArrayList<>(Arrays.asList(segments));
      for (Column column : columns) values.add(readColumn(column, cells));
      checkRequired(values); //if required
      return values.toArray();
    }

    //if required
    private void checkRequired(List<Object> values) {
      int first = keys.segments.size();
      List<String> missing = new ArrayList<>();
      for (int i = 0; i < columns.size(); i++)
        if (columns.get(i).required && values.get(first + i) == null)
          missing.add(columns.get(i).property);
      if (missing.isEmpty()) return;
      String names = "'" + String.join("', '", missing) + "'";
      String verb = missing.size() == 1 ? "is" : "are";
      throw error(
          "INCOMPLETE_ROW",
          "incompleteRow",
          keys.entity,
          missing.get(0),
          "names",
          names,
          "verb",
          verb);
    }

    //end
    private Object readColumn(Column column, Map<Place, List<RowCell>> cells) {
      try {
        if (column.kind.equals("map")) return readMap(column, cells); //if map
        if (column.kind.equals("versions")) return readVersions(column, cells); //if versions
        List<RowCell> stored = cells.get(new Place(column.family, column.qualifier));
        //if alsoReads
        for (ByteString each : column.earlier)
          if (stored == null) stored = cells.get(new Place(column.family, each));
        //end
        if (stored == null) return column.defaultValue; //if defaults
        if (stored == null) return null; //if !defaults
        Object value = column.codec.decode(stored.get(0).getValue());
        //if oneOf
        if (column.rules != null && !column.rules.isMember(value)) {
          String members = membersText(column.rules.oneOf);
          throw new Refused("notOneOf", "given", textOf(value), "members", members);
        }
        //end
        return value;
      } catch (Refused refused) {
        throw refused.error("DAMAGED_CELL", keys.entity, column.property);
      }
    }

    /** The whole row: with {@code replace}, columns without a value are deleted. */
    Mutation mutations(Object[] values, Instant now, boolean replace) {
      check(values); //if required rules
      keys.encode(values);
      Changes changes = new Changes(nowMicros(now), replace); //if !cellTime+!expiry
      Changes changes = new Changes(cellMicros(values, now), replace); //if cellTime expiry
      int first = keys.segments.size();
      List<Integer> defaults = new ArrayList<>(); //if defaults
      List<RowsmithException> refused = new ArrayList<>();
      for (int i = 0; i < columns.size(); i++) {
        Column column = columns.get(i);
        if (column.kind.equals("counter")) continue; //if counter
        if (column.kind.equals("map") && column.aggregate) continue; //if map+aggregates
        Object value = values[first + i];
        //if defaults
        if (value != null && column.isDefault(value)) {
          defaults.add(i);
          value = null;
        }
        //end
        try {
          if (value != null) write(column, value, changes);
          else if (replace) delete(column, changes);
        } catch (Refused error) {
          refused.add(error.error("INVALID_VALUE", keys.entity, column.property));
        }
      }
      if (refused.size() == 1) throw refused.get(0);
      List<String[]> issues = new ArrayList<>();
      for (RowsmithException each : refused)
        issues.add(new String[] {each.property(), each.problem()});
      refuseAll("INVALID_VALUE", issues, "wrongValues");
      if (marker != null) mark(changes, changes.at); //if marker
      //if defaults
      // A row has a cell. It is the only reason to store a default.
      if (changes.isEmpty) for (int i : defaults) write(columns.get(i), values[first + i], changes);
      //end
      if (changes.isEmpty) throw error("EMPTY_ROW", "emptyRow", keys.entity, null);
      if (!replace) refuseExpired(changes, now); //if maxAges
      return changes.mutation;
    }

    //if required rules
    /** Refuses values that break the rules of the declaration. */
    private void check(Object[] values) {
      List<String[]> issues = new ArrayList<>();
      int index = 0;
      //if keyRules
      for (Segment segment : keys.segments) {
        Object value = values[index++];
        if (segment.rules == null || value == null) continue;
        //if normalize lower
        if (value instanceof String text)
          value = new Text(null, segment.normalize, segment.lower).canonical(text);
        //end
        for (String each : segment.rules.issues(value))
          issues.add(new String[] {segment.property, each});
      }
      //end
      //if required columnRules
      index = keys.segments.size();
      for (Column column : columns) {
        Object value = values[index++];
        //if required
        if (value == null && column.required)
          issues.add(new String[] {column.property, problem("required")});
        //end
        //if columnRules
        if (value != null && column.rules != null)
          for (String each : column.rules.issues(value))
            issues.add(new String[] {column.property, each});
        //end
      }
      //end
      refuseAll("VALIDATION_FAILED", issues, "brokenRules");
    }

    //end
    private void refuseAll(String code, List<String[]> issues, String word) {
      if (issues.isEmpty()) return;
      String text =
          issues.stream()
              .limit(10)
              .map(each -> each[0] + ": " + each[1])
              .collect(Collectors.joining("; "));
      if (issues.size() > 10) text += "; and " + (issues.size() - 10) + " more";
      throw new RowsmithException(code, text, fix(word), keys.entity, issues.get(0)[0]);
    }

    private void write(Column column, Object value, Changes changes) {
      //if map
      if (column.kind.equals("map")) {
        writeMap(column, (Map<?, ?>) value, changes);
        return;
      }
      //end
      //if versions
      if (column.kind.equals("versions")) {
        writeVersions(column, (List<?>) value, changes);
        return;
      }
      //end
      ByteString raw = column.codec.encode(value);
      if (expiry != null) delete(column, changes); //if expiry
      changes.set(column.family, column.qualifier, changes.at, raw);
      //if alsoReads+expiry
      if (expiry != null) return;
      //end
      //if alsoReads
      if (!changes.replace) return;
      for (ByteString each : column.earlier) changes.delete(column.family, each);
      //end
    }

    private void delete(Column column, Changes changes) {
      //if map
      if (column.kind.equals("map")) {
        changes.mutation.deleteFamily(column.family);
        return;
      }
      //end
      boolean isWhole = false; //if versions expiry
      isWhole |= column.kind.equals("versions"); //if versions
      isWhole |= expiry != null; //if expiry
      //if versions expiry
      if (isWhole) changes.deleteAll(column.family, column.qualifier);
      else changes.delete(column.family, column.qualifier);
      //end
      changes.delete(column.family, column.qualifier); //if !versions+!expiry
      //if alsoReads
      for (ByteString each : column.earlier)
        if (isWhole) changes.deleteAll(column.family, each); //if versions expiry
        else changes.delete(column.family, each); //if versions expiry
          changes.delete(column.family, each); //if !versions+!expiry
      //end
    }

    //if marker
    private void mark(Changes changes, long at) {
      if (expiry != null) changes.deleteAll(marker.family, marker.qualifier); //if expiry
      changes.set(marker.family, marker.qualifier, at, ByteString.EMPTY);
    }

    //end
    //if cellTime expiry
    /** The timestamp of the cells: what a property says, else now. */
    private long cellMicros(Object[] values, Instant now) {
      if (expiry != null) return expiringMicros(valueOf(expiry, values)); //if expiry
      //if cellTime
      if (cellTime != null) {
        long ms = millisOr(valueOf(cellTime, values), -1);
        if (ms >= 0) return ms * 1000;
        throw error("INVALID_VALUE", "wrongCellTime", keys.entity, cellTime, "name", cellTime);
      }
      //end
      return nowMicros(now);
    }

    //if expiry
    private long expiringMicros(Object value) {
      long ms = millisOr(value, Long.MIN_VALUE);
      long micros = ms == Long.MIN_VALUE ? -1 : ms * 1000 - expiryMicros;
      if (micros >= 0) return micros;
      Object given = value instanceof Instant ? value : textOf(value);
      Instant first = Instant.ofEpochMilli(expiryMicros / 1000);
      throw error(
          "INVALID_VALUE", "wrongExpiry", keys.entity, expiry, "given", given, "first", first);
    }

    //end
    private Object valueOf(String property, Object[] values) {
      List<String> names = new ArrayList<>();
      keys.segments.forEach(each -> names.add(each.property));
      columns.forEach(each -> names.add(each.property));
      return values[names.indexOf(property)];
    }

    //end
    //if maxAges
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
      throw error(
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

    //end
    // Counters, by their index among the columns.
    ReadModifyWriteRow increment(ReadModifyWriteRow to, int index, long amount) {
      Column column = columns.get(index);
      return to.increment(column.family, column.qualifier, amount);
    }

    //if aggregates
    /** Adds to a counter of an aggregate family; {@code key} is one of its map. */
    Mutation add(Mutation to, int index, Object key, long amount) {
      Column column = columns.get(index);
      ByteString qualifier = column.qualifier; //if !map
      ByteString qualifier = column.keys == null ? column.qualifier : column.keys.encode(key); //if map
      Value name = Value.rawValue(qualifier);
      to.addToCell(column.family, name, Value.rawTimestamp(0), Value.intValue(amount));
      //if marker+expiry
      if (marker != null && expiry != null) to.deleteCells(marker.family, marker.qualifier);
      //end
      //if marker
      if (marker != null)
        to.setCell(marker.family, marker.qualifier, nowMicros(null), ByteString.EMPTY);
      //end
      return to;
    }
    //end
  }
}
