package rowsmith.rows;

import static rowsmith.rows.RowFields.NOT_A_VALUE;

import com.google.protobuf.ByteString;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Pattern;
import rowsmith.rows.RowFields.End;
import rowsmith.rows.RowFields.Field;
import rowsmith.rows.RowWords.Refused;

/** The keys of an entity. Values of segments stand in the order of the key. */
final class RowKeys {
  /** A part of a key. */
  interface Part {}

  /** A constant part. */
  record Literal(String text) implements Part {}

  static Part literal(String text) {
    return new Literal(text);
  }

  static Segment segment(String property, String kind, String encoding) {
    return new Segment(property, kind, encoding);
  }

  /** A segment, as the entity declares it. */
  static final class Segment implements Part {
    final String property;
    final String kind;
    final String encoding;
    boolean descending;
    boolean nullable;
    int width = 16;
    BigInteger max;
    int scale;
    List<String> members = List.of();
    boolean ordinal;
    String unit = "ms";
    String floor = "";
    boolean fromLong;
    boolean day;
    boolean dashes = true;
    Integer maxLength;
    boolean normalize;
    boolean lower;

    /** Why conditions on a range of values are refused. */
    String unordered;

    RowEntity.Rules rules;
    private Field field;

    private Segment(String property, String kind, String encoding) {
      this.property = property;
      this.kind = kind;
      this.encoding = encoding;
    }

    Segment descending() {
      descending = true;
      return this;
    }

    Segment nullable() {
      nullable = true;
      return this;
    }

    Segment width(int digits) {
      width = digits;
      return this;
    }

    Segment max(long value) {
      max = BigInteger.valueOf(value);
      return this;
    }

    Segment scale(int digits) {
      scale = digits;
      return this;
    }

    Segment members(String... names) {
      members = List.of(names);
      return this;
    }

    Segment ordinal() {
      ordinal = true;
      return this;
    }

    Segment unit(String name) {
      unit = name;
      return this;
    }

    /** "hour", "day" or milliseconds. */
    Segment floor(String size) {
      floor = size;
      return this;
    }

    Segment fromLong() {
      fromLong = true;
      return this;
    }

    Segment day() {
      day = true;
      return this;
    }

    Segment withoutDashes() {
      dashes = false;
      return this;
    }

    Segment maxLength(int units) {
      maxLength = units;
      return this;
    }

    Segment normalize() {
      normalize = true;
      return this;
    }

    Segment lower() {
      lower = true;
      return this;
    }

    Segment unordered(String reason) {
      unordered = reason;
      return this;
    }

    Segment rules(RowEntity.Rules given) {
      rules = given;
      return this;
    }

    long floorMs() {
      return switch (floor) {
        case "" -> 1;
        case "hour" -> 3_600_000;
        case "day" -> 86_400_000;
        default -> Long.parseLong(floor);
      };
    }
  }

  /** Keys between two raw texts; null is the end of the table. */
  private record Span(String start, String end) {
    Rows.KeyRange toRange() {
      return new Rows.KeyRange(
          RowFields.bytesOf(start), end == null ? null : RowFields.bytesOf(end));
    }
  }

  /** The keys with a prefix; {@code alone} is one that lies apart from the rest. */
  private record Prefix(String alone, String start, String base, String end) {
    List<Span> upTo(String last) {
      Span rest = new Span(start, last);
      return alone == null ? List.of(rest) : List.of(new Span(alone, alone + "\0"), rest);
    }
  }

  private static final Pattern ORDERED_PART =
      Pattern.compile("\\x00\\x00|(?:[^\\x00]|\\x00\\xff)++", Pattern.DOTALL);

  final String entity;
  final List<Part> parts;
  final List<Segment> segments = new ArrayList<>();
  private final boolean ordered;
  private final boolean escapes;
  private final String hashSeparator;
  private final String separator;
  private final String after;
  private int shards;
  private List<String> shardedBy = List.of();

  /** {@code format} is "text", "ordered", or a delimiter. */
  RowKeys(String entity, String format, Part... parts) {
    this.entity = entity;
    this.parts = List.of(parts);
    ordered = format.equals("ordered");
    escapes = format.equals("text");
    hashSeparator = ordered || escapes ? "#" : format;
    separator = ordered ? "\0\1" : hashSeparator;
    int last = separator.length() - 1;
    after = separator.substring(0, last) + (char) (separator.charAt(last) + 1);
    for (Part part : parts)
      if (part instanceof Segment segment) {
        segment.field = RowFields.of(segment, ordered);
        segments.add(segment);
      }
  }

  RowKeys shards(int count, String... by) {
    shards = count;
    shardedBy = List.of(by);
    return this;
  }

  private String escaped(String raw) {
    if (ordered) return raw.replace("\0", "\0\377");
    if (!escapes) return raw;
    StringBuilder found = new StringBuilder();
    for (char each : raw.toCharArray())
      if (each <= '$') found.append("$%02X".formatted((int) each));
      else found.append(each);
    return found.toString();
  }

  /** Null if escaping would not produce these bytes. */
  private String unescaped(String raw) {
    if (ordered) return raw.replace("\0\377", "\0");
    if (!escapes) return raw;
    StringBuilder found = new StringBuilder();
    for (int i = 0; i < raw.length(); i++) {
      char each = raw.charAt(i);
      if (each < '$') return null;
      if (each == '$') {
        if (i + 3 > raw.length()) return null;
        String digits = raw.substring(i + 1, i + 3);
        if (!digits.matches("[01][0-9A-F]|2[0-4]")) return null;
        each = (char) Integer.parseInt(digits, 16);
        i += 2;
      }
      found.append(each);
    }
    return found.toString();
  }

  // --- Writing

  private String write(Part part, Object value) {
    if (part instanceof Literal literal)
      return escaped(RowFields.utf8(literal.text, "loneSurrogate"));
    Segment segment = (Segment) part;
    try {
      return written(segment, value);
    } catch (Refused refused) {
      throw refused.error("INVALID_KEY", entity, segment.property);
    }
  }

  private String written(Segment segment, Object value) {
    if (value == null && !segment.nullable) throw new Refused("nullValue");
    if (value == null && !ordered) return segment.field.descending ? "~" : "";
    String raw = segment.field.write(value);
    if (!escapes && !ordered && raw.contains(separator))
      throw new Refused("delimiterInValue", "delimiter", RowWords.quoted(separator));
    String escaped = escaped(raw);
    return segment.nullable && escapes && escaped.isEmpty() ? "$" : escaped;
  }

  /** The raw bytes of the parts before the one at the index. */
  private List<String> written(int end, Object... values) {
    List<String> found = new ArrayList<>();
    int next = 0;
    for (Part part : parts.subList(0, end))
      found.add(write(part, part instanceof Segment ? values[next++] : null));
    return found;
  }

  /** The key with the values of all segments. */
  ByteString encode(Object... values) {
    List<String> written = written(parts.size(), values);
    if (shards > 0) written.add(0, shardText(shardOf(written)));
    String key = joined(written);
    if (key.isEmpty()) throw RowWords.error("INVALID_KEY", "emptyKey", entity, null);
    if (key.length() > RowFields.MAX_KEY_BYTES)
      throw RowWords.error("INVALID_KEY", "keyTooLong", entity, null, "length", key.length());
    return RowFields.bytesOf(key);
  }

  ByteString encodeWithin(Rows.Scope scope, Object... values) {
    within(scope, values, null);
    return encode(values);
  }

  /** Adds the values of the scope; refuses other values for its segments. */
  Rows.KeySet within(Rows.Scope scope, Object[] values, Rows.Bound<?> bound) {
    Object[] fixed = scope.values;
    for (int i = 0; i < Math.min(fixed.length, values.length); i++)
      if (!isSame(Arrays.copyOf(fixed, i + 1), values[i])) throw outside(i, values[i]);
    if (bound != null && values.length < fixed.length) throw misplaced(values.length, fixed.length);
    return new Rows.KeySet(this, values.length < fixed.length ? fixed : values, bound);
  }

  private RowsmithException outside(int index, Object given) {
    String name = segments.get(index).property;
    String text = RowWords.textOf(given);
    return RowWords.error(
        "OUTSIDE_SCOPE", "outsideScope", entity, name, "name", name, "given", text);
  }

  private RowsmithException misplaced(int index, int free) {
    String name = segments.get(index).property;
    String fix = RowWords.fix("removeBound");
    if (free < segments.size())
      fix = RowWords.fix("misplacedBound", "next", segments.get(free).property, "name", name);
    String problem = RowWords.problem("misplacedBound", "name", name);
    return new RowsmithException("INVALID_QUERY", problem, fix, entity, name);
  }

  private boolean isSame(Object[] fixed, Object last) {
    Object[] given = fixed.clone();
    given[given.length - 1] = last;
    try {
      return ranges(given, null).equals(ranges(fixed, null));
    } catch (RowsmithException error) {
      return false;
    }
  }

  private String joined(List<String> written) {
    if (!ordered) return String.join(separator, written);
    int end = written.size();
    while (end > 0 && written.get(end - 1).isEmpty()) end--;
    return end == 0 ? "\0\0" : orderedJoin(written.subList(0, end));
  }

  private String orderedJoin(List<String> written) {
    return String.join(
        separator, written.stream().map(each -> each.isEmpty() ? "\0\0" : each).toList());
  }

  private int shardOf(List<String> written) {
    List<String> hashed = new ArrayList<>();
    for (int i = 0; i < written.size(); i++)
      if (parts.get(i) instanceof Segment s && shardedBy.contains(s.property))
        hashed.add(written.get(i));
    int state = 0x811C9DC5;
    for (char each : String.join(hashSeparator, hashed).toCharArray())
      state = (state ^ each) * 0x01000193;
    return Integer.remainderUnsigned(state, shards);
  }

  private String shardText(int shard) {
    return RowFields.padded(BigInteger.valueOf(shard), shardWidth());
  }

  private int shardWidth() {
    return String.valueOf(shards - 1).length();
  }

  // --- Reading

  /** The values of a key; FOREIGN_KEY if it is none of the entity. */
  Object[] parse(ByteString key) {
    String raw = RowFields.rawOf(key);
    List<Object> values = new ArrayList<>();
    int step =
        raw.isEmpty() || raw.length() > RowFields.MAX_KEY_BYTES ? parts.size() : read(raw, values);
    if (step < 0) return values.toArray();
    throw RowWords.error(
        "FOREIGN_KEY", "foreignKey", entity, null, "reason", foreignReason(raw, step));
  }

  /** Negative, or the index of the part that does not belong to the key. */
  private int read(String key, List<Object> values) {
    List<String> found = new ArrayList<>();
    String rest = key;
    String shard = "";
    if (shards > 0) {
      if (key.length() < shardWidth()) return parts.size();
      shard = key.substring(0, shardWidth());
      rest = key.substring(shardWidth());
      if (rest.startsWith(separator)) rest = rest.substring(separator.length());
      else if (ordered && rest.isEmpty()) rest = null;
      else return parts.size();
    } else if (ordered && key.equals("\0\0")) rest = null;
    for (int i = 0; i < parts.size(); i++) {
      String[] split = split(rest, i == parts.size() - 1);
      if (split == null || !isRead(parts.get(i), split[0], values)) return i;
      found.add(split[0]);
      rest = split[1];
    }
    boolean isShard = shards == 0 || shard.equals(shardText(shardOf(found)));
    return rest == null && isShard ? -1 : parts.size();
  }

  /** The escaped bytes of the next part, and what follows its separator. */
  private String[] split(String rest, boolean last) {
    if (ordered) return orderedSplit(rest, last);
    if (rest == null) return null;
    int end = rest.indexOf(separator);
    if (last == end >= 0) return null;
    if (last) return new String[] {rest, null};
    return new String[] {rest.substring(0, end), rest.substring(end + separator.length())};
  }

  private String[] orderedSplit(String rest, boolean last) {
    if (rest == null) return new String[] {"", null};
    var match = ORDERED_PART.matcher(rest);
    if (!match.lookingAt() || rest.equals("\0\0")) return null;
    String raw = match.group().equals("\0\0") ? "" : match.group();
    String tail = rest.substring(match.end());
    if (tail.isEmpty()) return new String[] {raw, null};
    if (last || !tail.startsWith(separator)) return null;
    return new String[] {raw, tail.substring(separator.length())};
  }

  private boolean isRead(Part part, String escaped, List<Object> values) {
    if (!(part instanceof Segment segment)) return escaped.equals(write(part, null));
    Object value = valueOf(segment, escaped);
    values.add(value);
    return value != NOT_A_VALUE;
  }

  private Object valueOf(Segment segment, String escaped) {
    Field field = segment.field;
    if (escapes && segment.nullable) {
      if (escaped.isEmpty()) return field.descending ? NOT_A_VALUE : null;
      if (escaped.equals("$")) return field.read("");
      if (escaped.equals("~") && field.descending) return null;
    }
    String raw = unescaped(escaped);
    return raw == null ? NOT_A_VALUE : field.read(raw);
  }

  private String foreignReason(String key, int step) {
    if (key.isEmpty()) return RowWords.problem("foreignEmpty");
    if (key.length() > RowFields.MAX_KEY_BYTES)
      return RowWords.problem("foreignLong", "length", key.length());
    if (step == parts.size()) return RowWords.problem(shards == 0 ? "foreignEnd" : "foreignShard");
    int position = step + (shards == 0 ? 1 : 2);
    if (parts.get(step) instanceof Segment s)
      return RowWords.problem(
          "foreignSegment", "position", position, "segment", s.property, "encoding", s.encoding);
    String text = ((Literal) parts.get(step)).text;
    return RowWords.problem("foreignLiteral", "position", position, "text", text);
  }

  // --- Ranges

  Rows.KeySet prefix(Object... values) {
    return new Rows.KeySet(this, values, null);
  }

  Rows.KeySet range(Rows.Bound<?> bound, Object... values) {
    return new Rows.KeySet(this, values, bound);
  }

  /** The keys with these leading segments, and a bound of the next. */
  List<Rows.KeyRange> ranges(Object[] values, Rows.Bound<?> bound) {
    int index = 0;
    int fixed = 0;
    for (; index < parts.size(); index++)
      if (parts.get(index) instanceof Segment && fixed++ == values.length) break;
    List<String> written = written(index, values);
    if (shards == 0) return under(written, index, bound);
    boolean isKnown =
        segments.subList(0, values.length).stream()
            .map(each -> each.property)
            .toList()
            .containsAll(shardedBy);
    int first = isKnown ? shardOf(written) : 0;
    List<Rows.KeyRange> found = new ArrayList<>();
    for (int shard = first; shard < (isKnown ? first + 1 : shards); shard++) {
      List<String> prefix = new ArrayList<>(written);
      prefix.add(0, shardText(shard));
      found.addAll(under(prefix, index, bound));
    }
    return found;
  }

  private List<Rows.KeyRange> under(List<String> fixed, int index, Rows.Bound<?> bound) {
    return spans(fixed, index, bound).stream().map(Span::toRange).toList();
  }

  private List<Span> spans(List<String> fixed, int index, Rows.Bound<?> bound) {
    if (index == parts.size()) {
      String key = joined(fixed);
      if (key.isEmpty() || key.length() > RowFields.MAX_KEY_BYTES)
        throw RowWords.error("INVALID_KEY", "keyLength", entity, null, "length", key.length());
      return List.of(new Span(key, key + "\0"));
    }
    Prefix prefix = prefix(fixed);
    if (bound == null) return prefix.upTo(prefix.end);
    Segment segment = (Segment) parts.get(index);
    boolean last = index == parts.size() - 1;
    if (bound.text == null && (bound.low != null || bound.high != null))
      return union(between(segment, prefix, last, bound.low, bound.high));
    return union(
        bound.isDomain
            ? subdomains(segment, prefix, last, bound.text)
            : startsWith(segment, prefix, last, bound.text));
  }

  private Prefix prefix(List<String> fixed) {
    if (fixed.isEmpty()) return new Prefix(null, "", "", null);
    String joined = ordered ? orderedJoin(fixed) : String.join(separator, fixed);
    String base = joined + separator;
    if (!ordered) return new Prefix(null, base, base, joined + after);
    String alone = joined(fixed);
    if (!fixed.get(fixed.size() - 1).isEmpty())
      return new Prefix(null, alone, base, joined + after);
    return new Prefix(alone, base, base, joined + after);
  }

  private List<Span> between(Segment segment, Prefix prefix, boolean last, End from, End to) {
    if (segment.unordered != null)
      throw RowWords.error(
          "INVALID_QUERY", "unordered", entity, segment.property, "reason", segment.unordered);
    boolean descending = segment.field.descending;
    End first = end(segment, true, from);
    End second = end(segment, false, to);
    End low = descending ? second : first;
    End high = descending ? first : second;
    if (high != null && high.value().equals("") && !high.inclusive()) return List.of();
    String end = high == null ? prefix.end : boundKey(prefix, high, high.inclusive(), last);
    if (low == null || (low.value().equals("") && low.inclusive())) return prefix.upTo(end);
    return List.of(new Span(boundKey(prefix, low, !low.inclusive(), last), end));
  }

  /** An end with the raw bytes of its value. */
  private End end(Segment segment, boolean isLow, End given) {
    if (given == null) return null;
    End moved = given;
    try {
      moved = segment.field.bound(isLow, given);
    } catch (Refused refused) {
      // The write of the value says what is wrong.
    }
    return new End(write(segment, moved.value()), moved.inclusive());
  }

  private String boundKey(Prefix prefix, End end, boolean isAfter, boolean last) {
    String raw = (String) end.value();
    String value = prefix.base + (raw.isEmpty() && ordered ? "\0\0" : raw);
    return isAfter ? value + after(last) : value;
  }

  private String after(boolean last) {
    return last && !ordered ? "\0" : after;
  }

  private List<Span> startsWith(Segment segment, Prefix prefix, boolean last, String text) {
    Field field = segment.field;
    if (!field.startsWith)
      throw RowWords.error("INVALID_QUERY", "notAscendingString", entity, segment.property);
    List<Span> found = new ArrayList<>();
    for (String form : forms(text, field.lower)) {
      String value = write(segment, form);
      if (form.isEmpty() && segment.nullable)
        found.addAll(between(segment, prefix, last, new End(null, false), null));
      else if (form.isEmpty()) found.addAll(prefix.upTo(prefix.end));
      else {
        Field inner = field instanceof RowFields.OrderedNull nullable ? nullable.inner : field;
        String common = prefix.base + escaped(inner.write(form));
        found.add(new Span(prefix.base + value, nextPrefix(common)));
      }
    }
    return found;
  }

  /** A capital sigma at the end of a word has another lower case. */
  private static Iterable<String> forms(String text, boolean lower) {
    if (!lower || text == null) return Collections.singletonList(text);
    String inside = (text + "a").toLowerCase(Locale.ROOT);
    return new TreeSet<>(
        List.of(text.toLowerCase(Locale.ROOT), inside.substring(0, inside.length() - 1)));
  }

  private List<Span> subdomains(Segment segment, Prefix prefix, boolean last, String domain) {
    if (!segment.field.subdomains)
      throw RowWords.error("INVALID_QUERY", "notADomainSegment", entity, segment.property);
    String value = prefix.base + write(segment, domain);
    String dot = value + ".";
    String first = ordered || last ? value : value + separator;
    return List.of(new Span(first, value + after(last)), new Span(dot, nextPrefix(dot)));
  }

  private static String nextPrefix(String prefix) {
    int end = prefix.length();
    while (end > 0 && prefix.charAt(end - 1) == 0xff) end--;
    return end == 0 ? null : prefix.substring(0, end - 1) + (char) (prefix.charAt(end - 1) + 1);
  }

  private static List<Span> union(List<Span> spans) {
    List<Span> found = new ArrayList<>();
    for (Span each : spans.stream().sorted(Comparator.comparing(Span::start)).toList()) {
      if (each.end != null && each.end.compareTo(each.start) <= 0) continue;
      Span last = found.isEmpty() ? null : found.get(found.size() - 1);
      if (last == null || (last.end != null && each.start.compareTo(last.end) > 0)) found.add(each);
      else if (last.end != null && (each.end == null || each.end.compareTo(last.end) > 0))
        found.set(found.size() - 1, new Span(last.start, each.end));
    }
    return found;
  }
}
