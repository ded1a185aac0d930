  static final Object NOT_A_VALUE = new Object();
  static final int MAX_KEY_BYTES = 4096;
  private static final long MAX_DATE_MS = 8_640_000_000_000_000L;
  private static final long MAX_SAFE = (1L << 53) - 1;
  private static final long DAY_MS = 86_400_000;
  private static final long HOUR_MS = 3_600_000;
  private static final long FIRST_YEAR_MS = -62_167_219_200_000L;
  private static final long LAST_YEAR_MS = 253_402_300_799_999L;
  private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);

  /** An end of a range of values. */
  record End(Object value, boolean inclusive) {}

  static String utf8(String text, String refusal) {
    if (!isWellFormed(text)) throw new Refused(refusal);
    return new String(text.getBytes(UTF_8), ISO_8859_1);
  }

  static boolean isWellFormed(String text) {
    return UTF_8.newEncoder().canEncode(text);
  }

  /** Null if it is not UTF-8. */
  static String decoded(String raw) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(raw.getBytes(ISO_8859_1))).toString();
    } catch (CharacterCodingException error) {
      return null;
    }
  }

  static ByteString bytesOf(String raw) {
    return ByteString.copyFrom(raw, ISO_8859_1);
  }

  static String rawOf(ByteString bytes) {
    return bytes.toString(ISO_8859_1);
  }

  private static String hex(String raw) {
    StringBuilder found = new StringBuilder();
    raw.chars().forEach(each -> found.append("%02x".formatted(each)));
    return found.toString();
  }

  private static String unhex(String hex) {
    StringBuilder found = new StringBuilder();
    for (int i = 0; i < hex.length(); i += 2)
      found.append((char) Integer.parseInt(hex.substring(i, i + 2), 16));
    return found.toString();
  }

  static String inverted(String raw) {
    StringBuilder found = new StringBuilder();
    raw.chars().forEach(each -> found.append((char) (each ^ 0xff)));
    return found.toString();
  }

  private static String reversed(String text) {
    return new StringBuilder(text).reverse().toString();
  }

  private static String bigEndian(BigInteger value, int length) {
    String raw = new String(value.toByteArray(), ISO_8859_1);
    if (raw.length() > length) return raw.substring(raw.length() - length);
    return "\0".repeat(length - raw.length()) + raw;
  }

  private static BigInteger unsigned(String raw) {
    return new BigInteger(1, raw.getBytes(ISO_8859_1));
  }

  static String padded(BigInteger value, int width) {
    String digits = value.toString();
    return "0".repeat(Math.max(0, width - digits.length())) + digits;
  }

  private static BigInteger digitsOf(String raw) {
    return raw.matches("[0-9]+") ? new BigInteger(raw) : null;
  }

  static long millis(Object value) {
    if (!(value instanceof Instant time) || Math.abs(time.getEpochSecond()) > MAX_DATE_MS / 1000)
      throw new Refused("notADate");
    if (time.getNano() % 1_000_000 != 0) throw new Refused("notWholeMillis");
    return time.toEpochMilli();
  }

  static Object dateAt(long ms) {
    return Math.abs(ms) > MAX_DATE_MS ? NOT_A_VALUE : Instant.ofEpochMilli(ms);
  }

  private static long yearMillis(Object value, String fix) {
    long ms = millis(value);
    if (ms < FIRST_YEAR_MS || ms > LAST_YEAR_MS)
      throw new Refused("yearOutOfRange", "fix", fix(fix));
    return ms;
  }

  private static long floor(long ms, long size) {
    return Math.floorDiv(ms, size) * size;
  }

  private static LocalDate dayOf(long ms) {
    return LocalDate.ofEpochDay(Math.floorDiv(ms, DAY_MS));
  }

  /** Null if there is no such day. */
  private static Long dayMillis(int year, int month, int day) {
    try {
      return LocalDate.of(year, month, day).toEpochDay() * DAY_MS;
    } catch (DateTimeException error) {
      return null;
    }
  }

  private abstract static class Layout {
    BigInteger low = BigInteger.ZERO;
    BigInteger high = LONG_MAX;
    boolean descending;

    abstract String write(BigInteger value);

    /** Null for bytes that are never written. */
    abstract BigInteger read(String raw);

    static BigInteger divided(BigInteger value, BigInteger unit) {
      BigInteger[] parts = value.divideAndRemainder(unit);
      return parts[1].signum() == 0 ? parts[0] : null;
    }
  }

  /** Zero-padded decimal digits; {@code zeros} of them follow the integer. */
  private static class Digits extends Layout {
    final int width;
    final BigInteger unit;
    final BigInteger top;
    final String sign;

    Digits(int width, boolean descending, boolean signed, int zeros) {
      this.width = width;
      this.descending = descending;
      unit = BigInteger.TEN.pow(zeros);
      top = BigInteger.TEN.pow(width).subtract(BigInteger.ONE);
      high = BigInteger.TEN.pow(width - zeros).subtract(BigInteger.ONE);
      if (signed) low = high.negate();
      String negative = descending ? ":" : "-";
      sign = signed ? negative : null;
    }

    @Override
    String write(BigInteger value) {
      BigInteger scaled = value.multiply(unit);
      if (value.signum() >= 0) return padded(descending ? top.subtract(scaled) : scaled, width);
      BigInteger not = scaled.not();
      return sign + padded(descending ? not : top.subtract(not), width);
    }

    @Override
    BigInteger read(String raw) {
      boolean negative = sign != null && raw.startsWith(sign);
      String digits = negative ? raw.substring(1) : raw;
      BigInteger value = digits.length() == width ? digitsOf(digits) : null;
      if (value == null) return null;
      if (negative) value = (descending ? value : top.subtract(value)).not();
      else if (descending) value = top.subtract(value);
      return divided(value, unit);
    }
  }

  /** 19 digits of Long.MAX_VALUE - n. */
  private static final class LongReversed extends Layout {
    final BigInteger unit;

    LongReversed(int zeros) {
      unit = BigInteger.TEN.pow(zeros);
      high = LONG_MAX.divide(unit);
      descending = true;
    }

    @Override
    String write(BigInteger value) {
      return padded(LONG_MAX.subtract(value.multiply(unit)), 19);
    }

    @Override
    BigInteger read(String raw) {
      BigInteger digits = raw.length() == 19 ? digitsOf(raw) : null;
      if (digits == null || digits.compareTo(LONG_MAX) > 0) return null;
      return divided(LONG_MAX.subtract(digits), unit);
    }
  }

  /** Digits in reverse, so that sequential ids spread over the table. */
  private static final class Backward extends Digits {
    Backward(int width) {
      super(width, false, false, 0);
    }

    @Override
    String write(BigInteger value) {
      return reversed(super.write(value));
    }

    @Override
    BigInteger read(String raw) {
      return super.read(reversed(raw));
    }
  }

  /** google/orderedcode's int64. */
  private static final class OrderedInt extends Layout {
    OrderedInt(boolean descending) {
      low = LONG_MAX.not();
      this.descending = descending;
    }

    @Override
    String write(BigInteger value) {
      return orderedInt((descending ? value.not() : value).longValueExact());
    }

    @Override
    BigInteger read(String raw) {
      Long value = readOrderedInt(raw);
      return value == null ? null : BigInteger.valueOf(descending ? ~value : value);
    }
  }

  private static String orderedInt(long value) {
    BigInteger magnitude = BigInteger.valueOf(value < 0 ? ~value : value);
    int length = magnitude.bitLength() / 7 + 1;
    BigInteger header = BigInteger.valueOf((1L << length) - 1).shiftLeft(7 * length);
    String code = bigEndian(header.or(magnitude), length);
    return value < 0 ? inverted(code) : code;
  }

  private static Long readOrderedInt(String raw) {
    if (raw.isEmpty() || raw.length() > 10) return null;
    boolean negative = raw.charAt(0) < 0x80;
    BigInteger mask = BigInteger.ONE.shiftLeft(7 * raw.length() - 1).subtract(BigInteger.ONE);
    BigInteger magnitude = unsigned(negative ? inverted(raw) : raw).and(mask);
    if (magnitude.bitLength() > 63) return null;
    long value = negative ? ~magnitude.longValue() : magnitude.longValue();
    return orderedInt(value).equals(raw) ? value : null;
  }

  /** Values of a segment as raw bytes. */
  abstract static class Field {
    boolean descending;
    boolean startsWith; //if startsWith
    boolean lower; //if lower
    boolean subdomains; //if key.domain

    abstract String write(Object value);

    /** NOT_A_VALUE for bytes that are never written. */
    abstract Object read(String raw);

    //if floor seconds day
    /** The bound for a kind that stores one value for many. */
    End bound(boolean isLow, End end) {
      return end;
    }
    //end
  }

  /** The end in whole buckets of milliseconds. */
  private static End bucketBound(long size, boolean isLow, End end) {
    long ms = millis(end.value);
    long start = floor(ms, size);
    boolean matches = isLow ? ms + 1 < start + size : start != ms;
    return new End(Instant.ofEpochMilli(start), end.inclusive || matches);
  }

  /** Values that map to integers, in one of the layouts. */
  private static class IntegerField extends Field {
    final Layout layout;
    final Function<Object, BigInteger> toInteger;
    final Function<BigInteger, Object> fromInteger;
    final String fix;
    BigInteger low;
    BigInteger high;
    long bucket = 1; //if floor day

    IntegerField(
        Layout layout,
        Function<Object, BigInteger> toInteger,
        Function<BigInteger, Object> fromInteger,
        String fix) {
      this.layout = layout;
      this.toInteger = toInteger;
      this.fromInteger = fromInteger;
      this.fix = fix;
      low = layout.low;
      high = layout.high;
      descending = layout.descending;
    }

    //if floor day
    IntegerField buckets(long size) {
      bucket = size;
      return this;
    }

    @Override
    End bound(boolean isLow, End end) {
      if (bucket == 1 || end.value == null) return end;
      return bucketBound(bucket, isLow, end);
    }

    //end
    IntegerField limited(BigInteger least, BigInteger greatest) {
      low = low.max(least);
      high = high.min(greatest);
      return this;
    }

    @Override
    String write(Object value) {
      BigInteger integer = toInteger.apply(value);
      if (integer.compareTo(low) < 0 || integer.compareTo(high) > 0)
        throw new Refused(
            "outOfRange", "integer", integer, "min", low, "max", high, "fix", fix(fix));
      return layout.write(integer);
    }

    @Override
    Object read(String raw) {
      BigInteger integer = layout.read(raw);
      if (integer == null || integer.compareTo(low) < 0 || integer.compareTo(high) > 0)
        return NOT_A_VALUE;
      return fromInteger.apply(integer);
    }
  }

  /** Whole seconds: a bound between two seconds is moved to one of them. */
  private static final class Seconds extends IntegerField {
    Seconds(Layout layout) {
      super(layout, Seconds::whole, n -> dateAt(n.longValue() * 1000), "timeRange");
    }

    static BigInteger whole(Object value) {
      long ms = millis(value);
      if (ms % 1000 != 0) throw new Refused("notWholeSeconds");
      return BigInteger.valueOf(ms / 1000);
    }

    @Override
    End bound(boolean isLow, End end) {
      if (end.value == null) return end;
      long ms = millis(end.value);
      long start = floor(ms, 1000);
      return new End(Instant.ofEpochMilli(start), start == ms ? end.inclusive : !isLow);
    }
  }

  private static BigInteger safeInteger(Object value) {
    long number = (Long) value;
    if (number > MAX_SAFE || number < -MAX_SAFE) throw new Refused("notASafeInteger");
    return BigInteger.valueOf(number);
  }

  private static Object readSafe(BigInteger integer) {
    return integer.abs().bitLength() <= 53 ? integer.longValue() : NOT_A_VALUE;
  }

  private static BigInteger decimalInteger(BigDecimal value, int scale) {
    if (value.scale() > scale)
      throw new Refused(
          "notADecimal", "scale", scale, "example", scale == 0 ? "12" : "12." + "3".repeat(scale));
    if ((long) value.precision() - value.scale() > 1000) throw new Refused("tooManyDecimalDigits");
    return value.setScale(scale).unscaledValue();
  }

  /** Well-formed text as UTF-8. */
  static final class Text extends Field {
    //if maxLength normalize lower
    final Integer maxLength;
    final boolean normalize;

    Text(Integer maxLength, boolean normalize, boolean lower) {
      this.maxLength = maxLength;
      this.normalize = normalize;
      this.lower = lower; //if lower
      startsWith = true; //if startsWith
    }

    //end
    //if startsWith+!maxLength+!normalize+!lower
    Text() {
      startsWith = true;
    }

    //end
    String canonical(String text) {
      String result = text;
      if (lower) result = result.toLowerCase(Locale.ROOT); //if lower
      if (normalize) result = Normalizer.normalize(result, Normalizer.Form.NFC); //if normalize
      return result;
    }

    @Override
    String write(Object value) {
      String text = (String) value;
      if (text.length() > MAX_KEY_BYTES) throw new Refused("textLongerThanKey");
      text = canonical(text); //if lower normalize
      //if maxLength
      if (maxLength != null && text.length() > maxLength)
        throw new Refused("textTooLong", "max", maxLength);
      //end
      return utf8(text, "loneSurrogate");
    }

    @Override
    Object read(String raw) {
      String text = decoded(raw);
      if (text == null) return NOT_A_VALUE;
      if (maxLength != null && text.length() > maxLength) return NOT_A_VALUE; //if maxLength
      if (!canonical(text).equals(text)) return NOT_A_VALUE; //if lower normalize
      return text;
    }
  }

  /** One of some texts. */
  private static final class EnumField extends Field {
    final List<String> members;

    EnumField(List<String> members) {
      this.members = members;
    }

    @Override
    String write(Object value) {
      return utf8(members.get(ordinal(members, value)), "loneSurrogate");
    }

    @Override
    Object read(String raw) {
      String text = decoded(raw);
      return text != null && members.contains(text) ? text : NOT_A_VALUE;
    }
  }

  /** The text of a literal. */
  private static final class Constant extends Field {
    final String text;

    Constant(String text) {
      this.text = utf8(text, "loneSurrogate");
    }

    @Override
    String write(Object value) {
      return text;
    }

    @Override
    Object read(String raw) {
      return raw.equals(text) ? null : NOT_A_VALUE;
    }
  }

  private static int ordinal(List<String> members, Object value) {
    int index = members.indexOf(value);
    if (index < 0) throw new Refused("notAMember", "members", String.join(", ", members));
    return index;
  }

  /** IEEE 754 doubles without NaN: 16 hexadecimal digits, or ordered code. */
  private static final class FloatField extends Field {
    final boolean ordered;

    FloatField(boolean ordered, boolean descending) {
      this.ordered = ordered;
      this.descending = descending;
    }

    @Override
    String write(Object value) {
      double number = (Double) value + 0.0;
      if (Double.isNaN(number)) throw new Refused("notANumber");
      long bits = Double.doubleToLongBits(number);
      if (ordered) {
        long integer = bits < 0 ? Long.MIN_VALUE - bits : bits;
        return orderedInt(descending ? ~integer : integer);
      }
      bits ^= bits < 0 ? -1L : Long.MIN_VALUE;
      return "%016x".formatted(descending ? ~bits : bits);
    }

    @Override
    Object read(String raw) {
      Long bits = ordered ? orderedBits(raw) : hexBits(raw);
      if (bits == null || bits == Long.MIN_VALUE) return NOT_A_VALUE;
      double number = Double.longBitsToDouble(bits);
      return Double.isNaN(number) ? NOT_A_VALUE : number;
    }

    Long orderedBits(String raw) {
      Long read = readOrderedInt(raw);
      if (read == null) return null;
      long integer = descending ? ~read : read;
      if (integer == Long.MIN_VALUE) return null;
      return integer < 0 ? Long.MIN_VALUE - integer : integer;
    }

    Long hexBits(String raw) {
      if (!raw.matches("[0-9a-f]{16}")) return null;
      long bits = Long.parseUnsignedLong(raw, 16);
      if (descending) bits = ~bits;
      return bits ^ (bits < 0 ? Long.MIN_VALUE : -1L);
    }
  }

  /** Times as ISO 8601 text in UTC, or only their day. */
  private static final class IsoDate extends Field {
    static final Pattern DAY = Pattern.compile("(\\d{4})-(\\d\\d)-(\\d\\d)");
    static final Pattern TIME =
        Pattern.compile(DAY.pattern() + "T(\\d\\d):(\\d\\d):(\\d\\d)\\.(\\d{3})Z");

    final boolean isDay;

    IsoDate(boolean isDay) {
      this.isDay = isDay;
    }

    @Override
    String write(Object value) {
      long ms = yearMillis(value, "isoYear");
      String day = dayOf(ms).toString();
      if (isDay) return day;
      long clock = Math.floorMod(ms, DAY_MS);
      return "%sT%02d:%02d:%02d.%03dZ"
          .formatted(day, clock / HOUR_MS, clock / 60_000 % 60, clock / 1000 % 60, clock % 1000);
    }

    @Override
    Object read(String raw) {
      var found = (isDay ? DAY : TIME).matcher(raw);
      if (!found.matches()) return NOT_A_VALUE;
      int[] parts = new int[7];
      for (int i = 0; i < found.groupCount(); i++) parts[i] = Integer.parseInt(found.group(i + 1));
      Long ms = dayMillis(parts[0], parts[1], parts[2]);
      if (ms == null || parts[3] > 23 || parts[4] > 59 || parts[5] > 59) return NOT_A_VALUE;
      return dateAt(ms + ((parts[3] * 60L + parts[4]) * 60 + parts[5]) * 1000 + parts[6]);
    }

    //if floor seconds day
    @Override
    End bound(boolean isLow, End end) {
      return !isDay || end.value == null ? end : bucketBound(DAY_MS, isLow, end);
    }
    //end
  }

  /** UUIDs: 36 or 32 lower-case characters, or 16 bytes. */
  private static final class UuidField extends Field {
    final boolean binary;
    final boolean dashes;

    UuidField(boolean binary, boolean dashes) {
      this.binary = binary;
      this.dashes = dashes;
    }

    @Override
    String write(Object value) {
      String text = value.toString();
      if (dashes && !binary) return text;
      String plain = text.replace("-", "");
      return binary ? unhex(plain) : plain;
    }

    @Override
    Object read(String raw) {
      if (binary && raw.length() != 16) return NOT_A_VALUE;
      String plain = binary ? hex(raw) : raw;
      if (!binary && dashes) {
        if (!raw.matches("[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}")) return NOT_A_VALUE;
        plain = raw.replace("-", "");
      }
      if (!plain.matches("[0-9a-f]{32}")) return NOT_A_VALUE;
      return new UUID(
          Long.parseUnsignedLong(plain.substring(0, 16), 16),
          Long.parseUnsignedLong(plain.substring(16), 16));
    }
  }

  /** ULIDs: 26 upper-case characters of Crockford's base 32, or 16 bytes. */
  private static final class Ulid extends Field {
    static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

    final boolean binary;

    Ulid(boolean binary) {
      this.binary = binary;
    }

    @Override
    String write(Object value) {
      String text = (String) value;
      if (!text.matches("[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}")) throw new Refused("notAUlid");
      text = text.toUpperCase(Locale.ROOT);
      if (!binary) return text;
      BigInteger number = BigInteger.ZERO;
      for (char each : text.toCharArray())
        number = number.shiftLeft(5).or(BigInteger.valueOf(ALPHABET.indexOf(each)));
      return bigEndian(number, 16);
    }

    @Override
    Object read(String raw) {
      if (!binary) return raw.matches("[0-7][0-9A-HJKMNP-TV-Z]{25}") ? raw : NOT_A_VALUE;
      if (raw.length() != 16) return NOT_A_VALUE;
      BigInteger number = unsigned(raw);
      StringBuilder found = new StringBuilder();
      for (int shift = 125; shift >= 0; shift -= 5)
        found.append(ALPHABET.charAt(number.shiftRight(shift).intValue() & 31));
      return found.toString();
    }
  }

  /** Bytes unchanged, or as lower-case hexadecimal. */
  private static final class BytesField extends Field {
    final boolean hexadecimal;
    final int limit;

    BytesField(boolean hexadecimal, Integer maxLength) {
      this.hexadecimal = hexadecimal;
      limit = maxLength == null ? Integer.MAX_VALUE : maxLength;
    }

    @Override
    String write(Object value) {
      String raw = rawOf((ByteString) value);
      int max = Math.min(limit, MAX_KEY_BYTES);
      if (raw.length() > max) throw new Refused("bytesTooLong", "max", max);
      return hexadecimal ? hex(raw) : raw;
    }

    @Override
    Object read(String raw) {
      if (hexadecimal && (raw.length() % 2 != 0 || !raw.matches("[0-9a-f]*"))) return NOT_A_VALUE;
      String value = hexadecimal ? unhex(raw) : raw;
      return value.length() > limit ? NOT_A_VALUE : bytesOf(value);
    }
  }

  /** Up to 99 digits: two digits of length, then the digits. */
  private static final class BigField extends Field {
    BigField(boolean descending) {
      this.descending = descending;
    }

    @Override
    String write(Object value) {
      BigInteger number = (BigInteger) value;
      if (number.abs().toString().length() > 99) throw new Refused("tooManyDigits");
      if (descending) number = number.negate();
      String digits = number.abs().toString();
      String sized = "%02d%s".formatted(digits.length(), digits);
      return number.signum() < 0 ? "-" + complement(sized) : sized;
    }

    @Override
    Object read(String raw) {
      boolean negative = raw.startsWith("-");
      String text = negative ? raw.substring(1) : raw;
      if (!text.matches("[0-9]{3,101}")) return NOT_A_VALUE;
      if (negative) text = complement(text);
      String digits = text.substring(2);
      if (Integer.parseInt(text.substring(0, 2)) != digits.length()) return NOT_A_VALUE;
      if (digits.length() > 1 && digits.startsWith("0")) return NOT_A_VALUE;
      BigInteger number = new BigInteger(digits);
      if (negative && number.signum() == 0) return NOT_A_VALUE;
      return negative == descending ? number : number.negate();
    }

    static String complement(String digits) {
      StringBuilder found = new StringBuilder();
      digits.chars().forEach(each -> found.append((char) ('0' + '9' - each)));
      return found.toString();
    }
  }

  /** Domain names with their labels reversed. Names outside ASCII are refused. */
  private static final class Domain extends Field {
    Domain() {
      subdomains = true;
    }

    @Override
    String write(Object value) {
      String text = (String) value;
      if (!text.matches("\\p{ASCII}*")) throw new Refused("domainOutsideAscii");
      String domain = canonical(text);
      if (domain == null) throw new Refused("notADomainName");
      return turned(domain);
    }

    @Override
    Object read(String raw) {
      String domain = turned(raw);
      return domain.equals(canonical(domain)) ? domain : NOT_A_VALUE;
    }

    static String turned(String domain) {
      List<String> labels = Arrays.asList(domain.split("\\.", -1));
      Collections.reverse(labels);
      return String.join(".", labels);
    }

    static String canonical(String text) {
      String ended = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
      String name = ended.toLowerCase(Locale.ROOT);
      if (name.length() > 253 || !name.matches("[a-z0-9_-]{1,63}(\\.[a-z0-9_-]{1,63})*"))
        return null;
      String last = name.substring(name.lastIndexOf('.') + 1);
      return last.matches("[0-9]+|0x[0-9a-f]*") ? null : name;
    }
  }

  /** The ordered format's NOT of (the raw bytes, 00 as 00 FF, then 00 01). */
  private static final class Descending extends Field {
    final Field inner;

    Descending(Field inner) {
      this.inner = inner;
      descending = true;
    }

    @Override
    String write(Object value) {
      return inverted(inner.write(value).replace("\0", "\0\377") + "\0\1");
    }

    @Override
    Object read(String raw) {
      String plain = inverted(raw);
      if (!plain.endsWith("\0\1")) return NOT_A_VALUE;
      String escaped = plain.substring(0, plain.length() - 2);
      if (escaped.replace("\0\377", "").contains("\0")) return NOT_A_VALUE;
      return inner.read(escaped.replace("\0\377", "\0"));
    }

    //if floor seconds day
    @Override
    End bound(boolean isLow, End end) {
      return inner.bound(isLow, end);
    }

    //end
  }

  /** The ordered format's null: FF FF if descending, else no bytes. */
  static final class OrderedNull extends Field {
    final Field inner;
    // Text and bytes need one more 00 where they are nothing but 00.
    final boolean escapes;
    final String none;

    OrderedNull(Field inner, boolean escapes) {
      this.inner = inner;
      this.escapes = escapes && !inner.descending;
      descending = inner.descending;
      startsWith = inner.startsWith; //if startsWith
      lower = inner.lower; //if lower
      subdomains = inner.subdomains; //if key.domain
      none = descending ? "\377\377" : "";
    }

    boolean isZeros(String raw) {
      return escapes && raw.replace("\0", "").isEmpty();
    }

    @Override
    String write(Object value) {
      if (value == null) return none;
      String raw = inner.write(value);
      return isZeros(raw) ? raw + "\0" : raw;
    }

    @Override
    Object read(String raw) {
      if (raw.equals(none)) return null;
      return inner.read(isZeros(raw) ? raw.substring(0, raw.length() - 1) : raw);
    }

    //if floor seconds day
    @Override
    End bound(boolean isLow, End end) {
      return inner.bound(isLow, end);
    }

    //end
  }

  static Field fieldOf(Segment s, boolean ordered) {
    Field field = plain(s, ordered);
    //if ordered+descending
    if (ordered && s.descending && !field.descending) field = new Descending(field);
    //end
    //if ordered+nullable
    if (ordered && s.nullable) {
      boolean isNumber = field instanceof IntegerField || s.kind.equals("float");
      return new OrderedNull(field, !isNumber || s.kind.equals("reversedId"));
    }
    //end
    return field;
  }

  private static Field plain(Segment s, boolean ordered) {
    return switch (s.kind) {
      case "literal" -> new Constant(s.encoding); //if literals
      case "string" -> new Text(s.maxLength, s.normalize, s.lower); //if key.string+maxLength key.string+normalize key.string+lower
      case "string" -> new Text(); //if key.string+!maxLength+!normalize+!lower
      case "float" -> new FloatField(ordered, s.descending); //if key.float
      case "uuid" -> new UuidField(ordered, s.dashes); //if key.uuid
      case "ulid" -> new Ulid(ordered); //if key.ulid
      case "bytes" -> new BytesField(!ordered, s.maxLength); //if key.bytes
      case "domain" -> new Domain(); //if key.domain
      case "isoDate" -> ordered ? orderedTime(s) : new IsoDate(s.day); //if key.isoDate+ordered
      case "isoDate" -> new IsoDate(s.day); //if key.isoDate+!ordered
      case "timestamp" -> ordered ? orderedTime(s) : timeField(s); //if key.timestamp+ordered
      case "timestamp" -> timeField(s); //if key.timestamp+!ordered
      case "enum" -> s.ordinal ? integerField(s, ordered) : new EnumField(s.members); //if key.enum+ordinal
      case "enum" -> new EnumField(s.members); //if key.enum+!ordinal
      //if key.bigint
      case "bigint" ->
          s.width == 0 || (ordered && s.width > 19)
              ? new BigField(s.descending)
              : integerField(s, ordered);
      //end
      //if key.int key.uint key.reversedId key.bool key.decimal key.micros
      case "int", "uint", "reversedId", "bool", "decimal", "micros" -> integerField(s, ordered);
      //end
      default -> throw new IllegalArgumentException(s.kind);
    };
  }

  private static Layout layoutOf(Segment s, boolean ordered, int width, boolean signed) {
    if (ordered) return new OrderedInt(s.descending); //if ordered
    return new Digits(width, s.descending, signed, 0);
  }

  private static IntegerField safeIntegers(Layout layout) {
    return new IntegerField(layout, Rows::safeInteger, Rows::readSafe, "numberRange");
  }

  private static Field integerField(Segment s, boolean ordered) {
    BigInteger zero = BigInteger.ZERO;
    //if key.int key.uint key.bigint key.decimal
    BigInteger top = s.max;
    if (top == null) top = BigInteger.TEN.pow(s.width).subtract(BigInteger.ONE);
    //end
    return switch (s.kind) {
      //if key.int
      case "int" -> safeIntegers(layoutOf(s, ordered, s.width, true)).limited(top.negate(), top);
      //end
      //if key.uint
      case "uint" -> safeIntegers(layoutOf(s, ordered, s.width, false)).limited(zero, top);
      //end
      //if key.reversedId
      case "reversedId" -> safeIntegers(new Backward(s.width));
      //end
      //if key.bool
      case "bool" ->
          new IntegerField(
                  layoutOf(s, ordered, 1, false),
                  value -> value.equals(true) ? BigInteger.ONE : zero,
                  n -> n.signum() > 0,
                  "boolRange")
              .limited(zero, BigInteger.ONE);
      //end
      //if key.decimal
      case "decimal" ->
          new IntegerField(
                  layoutOf(s, ordered, s.width, true),
                  value -> decimalInteger((BigDecimal) value, s.scale),
                  n -> new BigDecimal(n, s.scale),
                  "decimalRange")
              .limited(top.negate(), top);
      //end
      //if key.enum
      case "enum" ->
          new IntegerField(
                  layoutOf(s, ordered, 2, false),
                  value -> BigInteger.valueOf(ordinal(s.members, value)),
                  n -> s.members.get(n.intValue()),
                  "enumRange")
              .limited(zero, BigInteger.valueOf(s.members.size() - 1));
      //end
      //if key.micros
      case "micros" ->
          new IntegerField(
              s.fromLong ? new LongReversed(0) : layoutOf(s, ordered, 16, false), //if long
              layoutOf(s, ordered, 16, false), //if !long
              value -> BigInteger.valueOf((Long) value),
              n -> n.longValue(),
              "bigintRange");
      //end
      //if key.bigint
      case "bigint" ->
          new IntegerField(
                  layoutOf(s, ordered, s.width, true),
                  BigInteger.class::cast,
                  n -> n,
                  "bigintRange")
              .limited(top.negate(), top);
      //end
      default -> throw new IllegalArgumentException(s.kind);
    };
  }

  private static Field orderedTime(Segment s) {
    IntegerField field = floored(new OrderedInt(s.descending), s.day ? DAY_MS : s.floorMs(), 1000); //if floor day
    IntegerField field = floored(new OrderedInt(s.descending), 1, 1000); //if !floor+!day
    //if key.isoDate
    if (s.kind.equals("isoDate"))
      return field.limited(
          BigInteger.valueOf(FIRST_YEAR_MS * 1000), BigInteger.valueOf(LAST_YEAR_MS * 1000));
    //end
    return field;
  }

  private static Field timeField(Segment s) {
    //if units floor
    int zeros = List.of("ms", "us", "ns").indexOf(s.unit) * 3;
    //end
    //if calendar
    if (s.floor.matches("hour|day")) return calendar(s.floor.equals("hour"), s.descending);
    //end
    //if floor
    if (!s.floor.isEmpty()) {
      int width = zeros < 0 ? 10 : 13 + zeros;
      int perMs = zeros < 0 ? 0 : (int) Math.pow(10, zeros);
      return floored(new Digits(width, s.descending, true, 0), s.floorMs(), perMs);
    }
    //end
    //if seconds
    if (zeros < 0)
      return new Seconds(s.fromLong ? new LongReversed(0) : new Digits(10, s.descending, false, 0)); //if long
      return new Seconds(new Digits(10, s.descending, false, 0)); //if !long
    //end
    int zeros = 0; //if !units+!floor
    return new IntegerField(
        s.fromLong ? new LongReversed(zeros) : new Digits(13 + zeros, s.descending, false, zeros), //if long
        new Digits(13 + zeros, s.descending, false, zeros), //if !long
        value -> BigInteger.valueOf(millis(value)),
        n -> dateAt(n.longValue()),
        "timeRange");
  }

  /** Times floored to {@code size} milliseconds; {@code perMs} is 0 for whole seconds. */
  private static IntegerField floored(Layout layout, long size, int perMs) {
    Function<Object, BigInteger> toInteger =
        value -> {
          long ms = floor(millis(value), size);
          return BigInteger.valueOf(perMs == 0 ? ms / 1000 : ms * perMs);
        };
    Function<BigInteger, Object> fromInteger =
        integer -> {
          long n = integer.longValue();
          if (perMs != 0 && n % perMs != 0) return NOT_A_VALUE;
          long ms = perMs == 0 ? n * 1000 : n / perMs;
          return ms % size == 0 ? dateAt(ms) : NOT_A_VALUE;
        };
    return new IntegerField(layout, toInteger, fromInteger, "timeRange").buckets(size); //if floor day
    return new IntegerField(layout, toInteger, fromInteger, "timeRange"); //if !floor+!day
  }

  /** The UTC hour as yyyymmddhh, or the day as yyyymmdd. */
  private static Field calendar(boolean hours, boolean descending) {
    return new IntegerField(
            new Digits(hours ? 10 : 8, descending, false, 0),
            value -> {
              long ms = yearMillis(value, "year");
              LocalDate day = dayOf(ms);
              long civil =
                  day.getYear() * 10_000L + day.getMonthValue() * 100 + day.getDayOfMonth();
              long hour = Math.floorMod(ms, DAY_MS) / HOUR_MS;
              return BigInteger.valueOf(hours ? civil * 100 + hour : civil);
            },
            integer -> {
              long hour = hours ? integer.longValue() % 100 : 0;
              int civil = (int) (hours ? integer.longValue() / 100 : integer.longValue());
              Long ms = dayMillis(civil / 10_000, civil / 100 % 100, civil % 100);
              return ms == null || hour > 23 ? NOT_A_VALUE : dateAt(ms + hour * HOUR_MS);
            },
            "timeRange")
        .buckets(hours ? HOUR_MS : DAY_MS);
  }
