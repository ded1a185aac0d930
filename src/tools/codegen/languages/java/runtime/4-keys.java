  /** A constant part of a key. */
  static Segment literal(String text) {
    return new Segment("", "literal", text);
  }

  static Segment segment(String property, String kind, String encoding) {
    return new Segment(property, kind, encoding);
  }

  /** A segment, as the entity declares it. */
  static final class Segment {
    final String property;
    final String kind;
    final String encoding;
    boolean descending;
    boolean nullable; //if nullable
    int width = 16; //if key.int key.uint key.bigint key.decimal key.reversedId
    BigInteger max; //if max key.int key.uint key.bigint key.decimal
    int scale; //if key.decimal
    List<String> members = List.of(); //if key.enum
    boolean ordinal; //if key.enum
    String unit = "ms"; //if units floor
    String floor = ""; //if floor day
    boolean fromLong; //if long
    boolean day; //if day key.isoDate floor
    boolean dashes = true; //if key.uuid
    Integer maxLength; //if maxLength normalize lower key.bytes
    boolean normalize; //if maxLength normalize lower
    boolean lower; //if maxLength normalize lower

    //if unordered
    /** Why conditions on a range of values are refused. */
    String unordered;

    //end
    Rules rules; //if keyRules
    private Field field;

    private Segment(String property, String kind, String encoding) {
      this.property = property;
      this.kind = kind;
      this.encoding = encoding;
    }

    //if descending
    Segment descending() {
      descending = true;
      return this;
    }

    //end
    //if nullable
    Segment nullable() {
      nullable = true;
      return this;
    }

    //end
    //if key.int key.uint key.bigint key.decimal key.reversedId
    Segment width(int digits) {
      width = digits;
      return this;
    }

    //end
    //if max
    Segment max(long value) {
      max = BigInteger.valueOf(value);
      return this;
    }

    //end
    //if key.decimal
    Segment scale(int digits) {
      scale = digits;
      return this;
    }

    //end
    //if key.enum
    Segment members(String... names) {
      members = List.of(names);
      return this;
    }

    //end
    //if ordinal
    Segment ordinal() {
      ordinal = true;
      return this;
    }

    //end
    //if units
    Segment unit(String name) {
      unit = name;
      return this;
    }

    //end
    //if floor
    /** "hour", "day" or milliseconds. */
    Segment floor(String size) {
      floor = size;
      return this;
    }

    //end
    //if long
    Segment fromLong() {
      fromLong = true;
      return this;
    }

    //end
    //if day
    Segment day() {
      day = true;
      return this;
    }

    //end
    //if key.uuid
    Segment withoutDashes() {
      dashes = false;
      return this;
    }

    //end
    //if maxLength
    Segment maxLength(int units) {
      maxLength = units;
      return this;
    }

    //end
    //if normalize
    Segment normalize() {
      normalize = true;
      return this;
    }

    //end
    //if lower
    Segment lower() {
      lower = true;
      return this;
    }

    //end
    //if unordered
    Segment unordered(String reason) {
      unordered = reason;
      return this;
    }

    //end
    //if keyRules
    Segment rules(Rules given) {
      rules = given;
      return this;
    }

    //end
    //if floor day
    long floorMs() {
      return switch (floor) {
        case "" -> 1;
        case "hour" -> 3_600_000;
        case "day" -> 86_400_000;
        default -> Long.parseLong(floor);
      };
    }

    //end
  }

  /** Keys between two raw texts; null is the end of the table. */
  private record Span(String start, String end) {
    KeyRange toRange() {
      return new KeyRange(bytesOf(start), end == null ? null : bytesOf(end));
    }
  }

  //if ordered
  /** The keys with a prefix; {@code alone} is one that lies apart from the rest. */
  private record Prefix(String alone, String start, String base, String end) {
  //end
  //if !ordered
  /** The keys with a prefix. */
  private record Prefix(String start, String base, String end) {
  //end
    List<Span> upTo(String last) {
      Span rest = new Span(start, last); //if ordered
      return alone == null ? List.of(rest) : List.of(new Span(alone, alone + "\0"), rest); //if ordered
      return List.of(new Span(start, last)); //if !ordered
    }
  }

  private static final Pattern ORDERED_PART =
      Pattern.compile("\\x00\\x00|(?:[^\\x00]|\\x00\\xff)++", Pattern.DOTALL);

  private static final Pattern ESCAPE = Pattern.compile("\\$([0-9A-F]{2})");

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

  /** The keys of an entity. Values of segments stand in the order of the key. */
  static final class Keys {
    final String entity;
    final List<Segment> parts;
    final List<Segment> segments;
    private final boolean ordered;
    private final boolean escapes;
    private final String hashSeparator; //if shards
    private final String separator;
    private final String after;
    private int shards; //if shards
    private List<String> shardedBy = List.of(); //if shards

    /** {@code format} is "text", "ordered", or a delimiter. */
    Keys(String entity, String format, Segment... parts) {
      this.entity = entity;
      this.parts = List.of(parts);
      segments = this.parts.stream().filter(each -> !each.kind.equals("literal")).toList(); //if literals
      segments = this.parts; //if !literals
      ordered = format.equals("ordered");
      escapes = format.equals("text");
      String delimiter = ordered || escapes ? "#" : format;
      hashSeparator = delimiter; //if shards
      separator = ordered ? "\0\1" : delimiter;
      int last = separator.length() - 1;
      after = separator.substring(0, last) + (char) (separator.charAt(last) + 1);
      for (Segment each : parts) each.field = fieldOf(each, ordered);
    }

    //if shards
    Keys shards(int count, String... by) {
      shards = count;
      shardedBy = List.of(by);
      return this;
    }

    //end
    private String escaped(String raw) {
      if (ordered) return raw.replace("\0", "\0\377"); //if ordered
      if (!escapes) return raw; //if delimited
      StringBuilder found = new StringBuilder();
      for (char each : raw.toCharArray())
        if (each <= '$') found.append("$%02X".formatted((int) each));
        else found.append(each);
      return found.toString();
    }

    /** Null if escaping would not produce these bytes. */
    private String unescaped(String raw) {
      if (ordered) return raw.replace("\0\377", "\0"); //if ordered
      if (!escapes) return raw; //if delimited
      int plainLength = 0;
      while (plainLength < raw.length() && raw.charAt(plainLength) > '$') plainLength++;
      if (plainLength == raw.length()) return raw;
      String plain =
          ESCAPE
              .matcher(raw)
              .replaceAll(
                  found -> {
                    char each = (char) Integer.parseInt(found.group(1), 16);
                    return Matcher.quoteReplacement(String.valueOf(each));
                  });
      return escaped(plain).equals(raw) ? plain : null;
    }

    private String write(Segment segment, Object value) {
      try {
        //if nullable
        if (value == null && segment.nullable && !ordered)
          return segment.field.descending ? "~" : "";
        //end
        //if nullable+literals
        if (value == null && !segment.nullable && !segment.property.isEmpty())
          throw new Refused("nullValue");
        //end
        if (value == null && !segment.nullable) throw new Refused("nullValue"); //if nullable+!literals
        //if !nullable+literals
        if (value == null && !segment.property.isEmpty()) throw new Refused("nullValue");
        //end
        if (value == null) throw new Refused("nullValue"); //if !nullable+!literals
        String raw = segment.field.write(value);
        //if delimited
        if (!escapes && !ordered && raw.contains(separator))
          throw new Refused("delimiterInValue", "delimiter", quoted(separator));
        //end
        if (segment.nullable && escapes && raw.isEmpty()) return "$"; //if nullable
        return escaped(raw);
      } catch (Refused refused) {
        throw refused.error("INVALID_KEY", entity, segment.property);
      }
    }

    /** The raw bytes of the parts before the one at the index. */
    private List<String> written(int end, Object... values) {
      List<String> found = new ArrayList<>();
      int next = 0;
      for (Segment part : parts.subList(0, end))
        found.add(write(part, part.property.isEmpty() ? null : values[next++]));
      return found;
    }

    /** The key with the values of all segments. */
    ByteString encode(Object... values) {
      List<String> written = written(parts.size(), values);
      if (shards > 0) written.add(0, shardText(shardOf(written))); //if shards
      String key = joined(written);
      if (key.isEmpty()) throw error("INVALID_KEY", "emptyKey", entity, null);
      if (key.length() > MAX_KEY_BYTES)
        throw error("INVALID_KEY", "keyTooLong", entity, null, "length", key.length());
      return bytesOf(key);
    }

    //if scopes
    ByteString encodeWithin(Scope scope, Object... values) {
      within(scope, values, null);
      return encode(values);
    }

    /** Adds the values of the scope; refuses other values for its segments. */
    KeySet within(Scope scope, Object[] values, Bound<?> bound) {
      Object[] fixed = scope.values;
      for (int i = 0; i < Math.min(fixed.length, values.length); i++)
        if (!isSame(Arrays.copyOf(fixed, i + 1), values[i])) throw outside(i, values[i]);
      if (bound != null && values.length < fixed.length)
        throw misplaced(values.length, fixed.length);
      return new KeySet(this, values.length < fixed.length ? fixed : values, bound);
    }

    private RowsmithException outside(int index, Object given) {
      String name = segments.get(index).property;
      String text = textOf(given);
      return error("OUTSIDE_SCOPE", "outsideScope", entity, name, "name", name, "given", text);
    }

    private RowsmithException misplaced(int index, int free) {
      String name = segments.get(index).property;
      Refused refused = new Refused("misplacedBound", "name", name, "next", nameAt(free));
      if (free == segments.size()) refused.fix = Rows.fix("removeBound");
      return refused.error("INVALID_QUERY", entity, name);
    }

    private String nameAt(int index) {
      return index < segments.size() ? segments.get(index).property : "";
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

    //end
    private String joined(List<String> written) {
      //if ordered
      if (ordered) {
        int end = written.size();
        while (end > 0 && written.get(end - 1).isEmpty()) end--;
        return end == 0 ? "\0\0" : orderedJoin(written.subList(0, end));
      }
      //end
      return String.join(separator, written);
    }

    //if ordered
    private String orderedJoin(List<String> written) {
      return String.join(
          separator, written.stream().map(each -> each.isEmpty() ? "\0\0" : each).toList());
    }

    //end
    //if shards
    private int shardOf(List<String> written) {
      List<String> hashed = new ArrayList<>();
      for (int i = 0; i < written.size(); i++)
        if (shardedBy.contains(parts.get(i).property)) hashed.add(written.get(i));
      int state = 0x811C9DC5;
      for (char each : String.join(hashSeparator, hashed).toCharArray())
        state = (state ^ each) * 0x01000193;
      return Integer.remainderUnsigned(state, shards);
    }

    private String shardText(int shard) {
      return padded(BigInteger.valueOf(shard), shardWidth());
    }

    private int shardWidth() {
      return String.valueOf(shards - 1).length();
    }

    //end
    /** The values of a key; FOREIGN_KEY if it is none of the entity. */
    Object[] parse(ByteString key) {
      String raw = rawOf(key);
      List<Object> values = new ArrayList<>();
      int step = raw.isEmpty() || raw.length() > MAX_KEY_BYTES ? parts.size() : read(raw, values);
      if (step < 0) return values.toArray();
      String reason = foreignReason(raw, step);
      throw error("FOREIGN_KEY", "foreignKey", entity, null, "reason", reason);
    }

    /** Negative, or the index of the part that does not belong to the key. */
    private int read(String key, List<Object> values) {
      String rest = key;
      //if ordered
      if (ordered && key.equals("\0\0")) rest = null;
      //end
      //if shards
      List<String> found = new ArrayList<>();
      String shard = "";
      if (shards > 0) {
        if (key.length() < shardWidth()) return parts.size();
        shard = key.substring(0, shardWidth());
        rest = key.substring(shardWidth());
        if (rest.startsWith(separator)) rest = rest.substring(separator.length());
        else if (ordered && rest.isEmpty()) rest = null;
        else return parts.size();
      }
      //end
      for (int i = 0; i < parts.size(); i++) {
        String[] split = split(rest, i == parts.size() - 1);
        if (split == null) return i;
        Segment part = parts.get(i);
        Object value = valueOf(part, split[0]);
        if (value == NOT_A_VALUE) return i;
        if (!part.property.isEmpty()) values.add(value);
        found.add(split[0]); //if shards
        rest = split[1];
      }
      //if shards
      if (shards > 0 && !shard.equals(shardText(shardOf(found)))) return parts.size();
      //end
      return rest == null ? -1 : parts.size();
    }

    /** The escaped bytes of the next part, and what follows its separator. */
    private String[] split(String rest, boolean last) {
      if (ordered) return orderedSplit(rest, last); //if ordered
      if (rest == null) return null;
      int end = rest.indexOf(separator);
      if (last == end >= 0) return null;
      if (last) return new String[] {rest, null};
      return new String[] {rest.substring(0, end), rest.substring(end + separator.length())};
    }

    //if ordered
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

    //end
    private Object valueOf(Segment segment, String escaped) {
      Field field = segment.field;
      //if nullable
      if (escapes && segment.nullable) {
        if (escaped.isEmpty()) return field.descending ? NOT_A_VALUE : null;
        if (escaped.equals("$")) return field.read("");
        if (escaped.equals("~") && field.descending) return null;
      }
      //end
      String raw = unescaped(escaped);
      return raw == null ? NOT_A_VALUE : field.read(raw);
    }

    private String foreignReason(String key, int step) {
      if (key.isEmpty()) return problem("foreignEmpty");
      if (key.length() > MAX_KEY_BYTES) return problem("foreignLong", "length", key.length());
      if (step == parts.size() && shards > 0) return problem("foreignShard"); //if shards
      if (step == parts.size()) return problem("foreignEnd");
      int position = step + 1; //if !shards
      int position = step + (shards == 0 ? 1 : 2); //if shards
      Segment s = parts.get(step);
      //if literals
      if (s.property.isEmpty())
        return problem("foreignLiteral", "position", position, "text", s.encoding);
      //end
      return problem(
          "foreignSegment", "position", position, "segment", s.property, "encoding", s.encoding);
    }

    KeySet prefix(Object... values) {
      return new KeySet(this, values, null);
    }

    KeySet range(Bound<?> bound, Object... values) {
      return new KeySet(this, values, bound);
    }

    /** The keys with these leading segments, and a bound of the next. */
    List<KeyRange> ranges(Object[] values, Bound<?> bound) {
      int index = 0;
      int fixed = 0;
      for (; index < parts.size(); index++)
        if (!parts.get(index).property.isEmpty() && fixed++ == values.length) break;
      List<String> written = written(index, values);
      //if shards
      if (shards > 0) {
        List<Segment> known = segments.subList(0, values.length);
        boolean isKnown = known.stream().map(each -> each.property).toList().containsAll(shardedBy);
        int first = isKnown ? shardOf(written) : 0;
        List<KeyRange> found = new ArrayList<>();
        for (int shard = first; shard < (isKnown ? first + 1 : shards); shard++) {
          List<String> prefix = new ArrayList<>(written);
          prefix.add(0, shardText(shard));
          found.addAll(under(prefix, index, bound));
        }
        return found;
      }
      //end
      return under(written, index, bound);
    }

    private List<KeyRange> under(List<String> fixed, int index, Bound<?> bound) {
      return spans(fixed, index, bound).stream().map(Span::toRange).toList();
    }

    private List<Span> spans(List<String> fixed, int index, Bound<?> bound) {
      if (index == parts.size()) {
        String key = joined(fixed);
        if (key.isEmpty() || key.length() > MAX_KEY_BYTES)
          throw error("INVALID_KEY", "keyLength", entity, null, "length", key.length());
        return List.of(new Span(key, key + "\0"));
      }
      Prefix prefix = prefix(fixed);
      if (bound == null) return prefix.upTo(prefix.end);
      Segment segment = parts.get(index);
      boolean last = index == parts.size() - 1;
      //if key.domain
      if (bound.isDomain) return union(subdomains(segment, prefix, last, bound.text));
      //end
      //if startsWith
      if (bound.low == null && bound.high == null)
        return union(startsWith(segment, prefix, last, bound.text));
      //end
      return union(between(segment, prefix, last, bound.low, bound.high));
    }

    private Prefix prefix(List<String> fixed) {
      //if ordered
      if (fixed.isEmpty()) return new Prefix(null, "", "", null);
      String joined = ordered ? orderedJoin(fixed) : joined(fixed);
      String base = joined + separator;
      if (!ordered) return new Prefix(null, base, base, joined + after);
      String alone = joined(fixed);
      if (!fixed.get(fixed.size() - 1).isEmpty())
        return new Prefix(null, alone, base, joined + after);
      return new Prefix(alone, base, base, joined + after);
      //end
      //if !ordered
      if (fixed.isEmpty()) return new Prefix("", "", null);
      String joined = joined(fixed);
      return new Prefix(joined + separator, joined + separator, joined + after);
      //end
    }

    private List<Span> between(Segment segment, Prefix prefix, boolean last, End from, End to) {
      //if unordered
      if (segment.unordered != null)
        throw error(
            "INVALID_QUERY", "unordered", entity, segment.property, "reason", segment.unordered);
      //end
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
      //if floor seconds day
      End moved = given;
      try {
        moved = segment.field.bound(isLow, given);
      } catch (Refused refused) {
        // The write of the value says what is wrong.
      }
      return new End(write(segment, moved.value()), moved.inclusive());
      //end
      return new End(write(segment, given.value()), given.inclusive()); //if !floor+!seconds+!day
    }

    private String boundKey(Prefix prefix, End end, boolean isAfter, boolean last) {
      String raw = (String) end.value();
      if (ordered && raw.isEmpty()) raw = "\0\0"; //if ordered
      return prefix.base + raw + (isAfter ? after(last) : "");
    }

    private String after(boolean last) {
      return last && !ordered ? "\0" : after;
    }

    //if startsWith
    private List<Span> startsWith(Segment segment, Prefix prefix, boolean last, String text) {
      if (!segment.field.startsWith)
        throw error("INVALID_QUERY", "notAscendingString", entity, segment.property);
      //if lower
      if (segment.field.lower && text != null) {
        // A capital sigma at the end of a word has another lower case.
        String inside = (text + "a").toLowerCase(Locale.ROOT);
        String open = inside.substring(0, inside.length() - 1);
        List<Span> found = new ArrayList<>(form(segment, prefix, last, open));
        found.addAll(form(segment, prefix, last, text.toLowerCase(Locale.ROOT)));
        return found;
      }
      return form(segment, prefix, last, text);
    }

    private List<Span> form(Segment segment, Prefix prefix, boolean last, String text) {
      //end
      String value = write(segment, text);
      //if nullable
      if (text.isEmpty() && segment.nullable)
        return between(segment, prefix, last, new End(null, false), null);
      //end
      if (text.isEmpty()) return prefix.upTo(prefix.end);
      //if ordered+nullable
      if (segment.field instanceof OrderedNull nullable) {
        String common = prefix.base + escaped(nullable.inner.write(text));
        return List.of(new Span(prefix.base + value, nextPrefix(common)));
      }
      //end
      return List.of(new Span(prefix.base + value, nextPrefix(prefix.base + value)));
    }

    //end
    //if key.domain
    private List<Span> subdomains(Segment segment, Prefix prefix, boolean last, String domain) {
      if (!segment.field.subdomains)
        throw error("INVALID_QUERY", "notADomainSegment", entity, segment.property);
      String value = prefix.base + write(segment, domain);
      String dot = value + ".";
      String first = ordered || last ? value : value + separator;
      return List.of(new Span(first, value + after(last)), new Span(dot, nextPrefix(dot)));
    }
    //end
  }
