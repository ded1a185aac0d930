package rowsmith.rows;

import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.Range.ByteStringRange;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.protobuf.ByteString;
import java.time.Instant;
import java.util.List;

/** What the rows of all entities share: versions, bounds, ranges of keys and scopes. */
public final class Rows {
  private Rows() {}

  /** A stored version of a column, with the timestamp of its cell. */
  public record Version<T>(Instant at, T value) {}

  /** Values of a segment between two ends, or with a start, in the order of values. */
  public static final class Bound<T> {
    final RowFields.End low;
    final RowFields.End high;

    /** The start of texts, or a domain. */
    final String text;

    final boolean isDomain;

    Bound(RowFields.End low, RowFields.End high, String text, boolean isDomain) {
      this.low = low;
      this.high = high;
      this.text = text;
      this.isDomain = isDomain;
    }
  }

  /** From {@code start}, inclusive, to {@code end}, exclusive. */
  public static <T> Bound<T> between(T start, T end) {
    return new Bound<>(new RowFields.End(start, true), new RowFields.End(end, false), null, false);
  }

  public static <T> Bound<T> atLeast(T value) {
    return new Bound<>(new RowFields.End(value, true), null, null, false);
  }

  public static <T> Bound<T> moreThan(T value) {
    return new Bound<>(new RowFields.End(value, false), null, null, false);
  }

  public static <T> Bound<T> atMost(T value) {
    return new Bound<>(null, new RowFields.End(value, true), null, false);
  }

  public static <T> Bound<T> lessThan(T value) {
    return new Bound<>(null, new RowFields.End(value, false), null, false);
  }

  /** Texts that start with a text. */
  public static Bound<String> startsWith(String text) {
    return new Bound<>(null, null, text, false);
  }

  /** A domain and its subdomains. */
  public static Bound<String> subdomains(String domain) {
    return new Bound<>(null, null, domain, true);
  }

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
    private final RowKeys keys;
    private final Object[] values;
    private final Bound<?> bound;

    KeySet(RowKeys keys, Object[] values, Bound<?> bound) {
      this.keys = keys;
      this.values = values;
      this.bound = bound;
    }

    /** The same inside of a scope; OUTSIDE_SCOPE if it fixes other values. */
    public KeySet within(Scope scope) {
      return keys.within(scope, values, bound);
    }

    public List<KeyRange> ranges() {
      return keys.ranges(values, bound);
    }

    /** A read of these keys: without a range, INVALID_QUERY, and never the whole table. */
    public Query query(String table) {
      List<KeyRange> ranges = ranges();
      if (ranges.isEmpty()) throw RowWords.error("INVALID_QUERY", "noRange", keys.entity, null);
      Query query = Query.create(TableId.of(table));
      ranges.forEach(each -> query.range(each.toRange()));
      return query;
    }
  }

  /** Leading segments with fixed values: what is made within it stays inside. */
  public static final class Scope {
    final RowKeys keys;
    final Object[] values;

    Scope(RowKeys keys, Object... values) {
      this.keys = keys;
      this.values = values;
      keys.ranges(values, null);
    }

    public boolean contains(ByteString key) {
      return keys.ranges(values, null).stream().anyMatch(each -> each.contains(key));
    }
  }
}
