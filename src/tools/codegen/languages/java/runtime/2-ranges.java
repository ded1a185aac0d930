  //if versions
  /** A stored version of a column, with the timestamp of its cell. */
  public record Version<T>(Instant at, T value) {}

  //end
  //if startsWith key.domain
  /** Values of a segment between two ends, or with a start, in the order of values. */
  public static final class Bound<T> {
    private final End low;
    private final End high;

    /** The start of texts, or a domain. */
    private final String text;

    private boolean isDomain;

    private Bound(End low, End high, String text) {
      this.low = low;
      this.high = high;
      this.text = text;
    }

    private Bound(End low, End high) {
      this(low, high, null);
    }
  }

  //end
  //if !startsWith+!key.domain
  /** Values of a segment between two ends, in the order of values. */
  public static final class Bound<T> {
    private final End low;
    private final End high;

    private Bound(End low, End high) {
      this.low = low;
      this.high = high;
    }
  }

  //end
  /** From {@code start}, inclusive, to {@code end}, exclusive. */
  public static <T> Bound<T> between(T start, T end) {
    return new Bound<>(new End(start, true), new End(end, false));
  }

  public static <T> Bound<T> atLeast(T value) {
    return new Bound<>(new End(value, true), null);
  }

  public static <T> Bound<T> moreThan(T value) {
    return new Bound<>(new End(value, false), null);
  }

  public static <T> Bound<T> atMost(T value) {
    return new Bound<>(null, new End(value, true));
  }

  public static <T> Bound<T> lessThan(T value) {
    return new Bound<>(null, new End(value, false));
  }

  //if startsWith
  /** Texts that start with a text. */
  public static Bound<String> startsWith(String text) {
    return new Bound<>(null, null, text);
  }

  //end
  //if key.domain
  /** A domain and its subdomains. */
  public static Bound<String> subdomains(String domain) {
    Bound<String> bound = new Bound<>(null, null, domain);
    bound.isDomain = true;
    return bound;
  }

  //end
  /** Keys from {@code start} to {@code end}, exclusive; null is the end of the table. */
  public record KeyRange(ByteString start, ByteString end) {
    public boolean contains(ByteString key) {
      var order = ByteString.unsignedLexicographicalComparator();
      return order.compare(start, key) <= 0 && (end == null || order.compare(key, end) < 0);
    }

    public ByteStringRange toRange() {
      ByteStringRange range = ByteStringRange.unbounded();
      if (!start.isEmpty()) range.startClosed(start);
      if (end != null) range.endOpen(end);
      return range;
    }
  }

  /** The keys with leading segments; the last one may be a bound. */
  public static final class KeySet {
    private final Keys keys;
    private final Object[] values;
    private final Bound<?> bound;

    KeySet(Keys keys, Object[] values, Bound<?> bound) {
      this.keys = keys;
      this.values = values;
      this.bound = bound;
    }

    //if scopes
    /** The same inside of a scope; OUTSIDE_SCOPE if it fixes other values. */
    public KeySet within(Scope scope) {
      return keys.within(scope, values, bound);
    }

    //end
    public List<KeyRange> ranges() {
      return keys.ranges(values, bound);
    }

    /** A read of these keys: without a range, INVALID_QUERY, and never the whole table. */
    public Query query(String table) {
      List<KeyRange> ranges = ranges();
      if (ranges.isEmpty()) throw error("INVALID_QUERY", "noRange", keys.entity, null);
      Query query = Query.create(TableId.of(table));
      ranges.forEach(each -> query.range(each.toRange()));
      return query;
    }
  }

  //if scopes
  /** Leading segments with fixed values: what is made within it stays inside. */
  public static final class Scope {
    final Keys keys;
    final Object[] values;

    Scope(Keys keys, Object... values) {
      this.keys = keys;
      this.values = values;
      keys.ranges(values, null);
    }

    public boolean contains(ByteString key) {
      return keys.ranges(values, null).stream().anyMatch(each -> each.contains(key));
    }
  }

  //end
