  private static final long MAX_MICROS = 8_640_000_000_000_000_000L;

  /** Values of a column as the bytes of a cell. */
  interface Codec {
    ByteString encode(Object value);

    Object decode(ByteString raw);
  }

  static Codec scalar(String kind) {
    return new Scalar(kind);
  }

  static Codec message(Message empty) {
    return new Packed(empty);
  }

  /** The messages of a class without a package, which this one cannot import. */
  static Codec unpackagedMessage(String className) {
    try {
      return message(
          (Message) Class.forName(className).getMethod("getDefaultInstance").invoke(null));
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(className + " is missing: run protoc --java_out", error);
    }
  }

  /** A scalar; numbers are big-endian, as in Bigtable's own encodings. */
  private record Scalar(String kind) implements Codec {
    @Override
    public ByteString encode(Object value) {
      return switch (kind) {
        case "string" -> text((String) value); //if cell.string
        case "json" -> json((String) value); //if cell.json
        case "bytes" -> (ByteString) value; //if cell.bytes
        //if cell.bool
        case "bool" -> ByteString.copyFrom(new byte[] {(byte) (value.equals(true) ? 1 : 0)});
        //end
        case "double" -> int64(Double.doubleToLongBits((Double) value)); //if cell.double
        case "float" -> bytes(ByteBuffer.allocate(4).putFloat((Float) value)); //if cell.float
        case "timestamp" -> int64(millis(value) * 1000); //if cell.timestamp
        case "date" -> day((LocalDate) value); //if cell.date
        case "uint32" -> int64(inRange((Long) value)); //if cell.uint32
        //if cell.int32 cell.int64
        case "int32", "int64" -> int64(((Number) value).longValue());
        //end
        default -> throw new IllegalArgumentException(kind);
      };
    }

    private static ByteString text(String value) {
      if (!isWellFormed(value)) throw new Refused("loneSurrogateInCell");
      return ByteString.copyFromUtf8(value);
    }

    private static ByteString json(String value) {
      ByteString raw = text(value);
      if (!Json.isValid(value)) throw new Refused("notJson", "given", textOf(value));
      return raw;
    }

    private static ByteString day(LocalDate value) {
      if (value.getYear() < 0 || value.getYear() > 9999)
        throw new Refused("wrongDay", "given", value);
      return ByteString.copyFromUtf8(value.toString());
    }

    private long inRange(long number) {
      if (number >= 0 && number <= 0xffffffffL) return number;
      String given = textOf(number);
      throw new Refused("cellRange", "given", given, "kind", kind, "min", 0, "max", 0xffffffffL);
    }

    @Override
    public Object decode(ByteString raw) {
      return switch (kind) {
        case "string" -> decodeText(raw); //if cell.string
        case "json" -> decodeJson(raw); //if cell.json
        case "date" -> decodeDay(raw); //if cell.date
        case "bytes" -> raw; //if cell.bytes
        case "bool" -> decodeBool(sized(raw, 1).get()); //if cell.bool
        case "float" -> sized(raw, 4).getFloat(); //if cell.float
        case "double" -> sized(raw, 8).getDouble(); //if cell.double
        case "timestamp" -> decodeTime(sized(raw, 8).getLong()); //if cell.timestamp
        case "int32" -> decodeInt32(sized(raw, 8).getLong()); //if cell.int32
        case "uint32" -> decodeUint32(sized(raw, 8).getLong()); //if cell.uint32
        case "int64" -> sized(raw, 8).getLong(); //if cell.int64
        default -> throw new IllegalArgumentException(kind);
      };
    }

    private ByteBuffer sized(ByteString raw, int bytes) {
      if (raw.size() == bytes) return raw.asReadOnlyByteBuffer();
      String expected = bytes == 1 ? "1 byte" : bytes + " bytes";
      throw new Refused("cellLength", "expected", expected, "kind", kind, "length", raw.size());
    }

    private static boolean decodeBool(byte value) {
      if (value >> 1 != 0)
        throw new Refused("cellNotABool", "text", Integer.toHexString(value & 0xff));
      return value == 1;
    }

    private static int decodeInt32(long number) {
      if (number == (int) number) return (int) number;
      throw new Refused("cellOutOfRange", "number", number, "kind", "int32");
    }

    private static long decodeUint32(long number) {
      if (number >>> 32 == 0) return number;
      throw new Refused("cellOutOfRange", "number", number, "kind", "uint32");
    }

    private static Instant decodeTime(long number) {
      if (number % 1000 != 0) throw new Refused("cellMicroseconds");
      if (number > MAX_MICROS || number < -MAX_MICROS) throw new Refused("cellBeyondDates");
      return Instant.ofEpochMilli(number / 1000);
    }

    private static String decodeText(ByteString raw) {
      if (raw.isValidUtf8()) return raw.toStringUtf8();
      throw new Refused("cellNotUtf8");
    }

    private static String decodeJson(ByteString raw) {
      String text = decodeText(raw);
      if (Json.isValid(text)) return text;
      throw new Refused("cellNotJson");
    }

    private static LocalDate decodeDay(ByteString raw) {
      try {
        String text = raw.toStringUtf8();
        if (text.matches("[0-9]{4}-[0-9]{2}-[0-9]{2}")) return LocalDate.parse(text);
      } catch (DateTimeException error) {
        // Refused below.
      }
      throw new Refused("cellNotADay");
    }
  }

  private static ByteString int64(long value) {
    return bytes(ByteBuffer.allocate(8).putLong(value));
  }

  private static ByteString bytes(ByteBuffer filled) {
    return ByteString.copyFrom(filled.flip());
  }

  /** Messages of a class that protoc generated. */
  private record Packed(Message empty) implements Codec {
    @Override
    public ByteString encode(Object value) {
      Message message = (Message) value;
      if (!message.getDescriptorForType().equals(empty.getDescriptorForType()))
        throw new Refused("wrongMessage", "name", name(), "given", textOf(value));
      byte[] raw = new byte[message.getSerializedSize()];
      CodedOutputStream output = CodedOutputStream.newInstance(raw);
      output.useDeterministicSerialization();
      try {
        message.writeTo(output);
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
      return ByteString.copyFrom(raw);
    }

    @Override
    public Object decode(ByteString raw) {
      try {
        return empty.getParserForType().parseFrom(raw);
      } catch (InvalidProtocolBufferException error) {
        throw new Refused("cellNotAMessage", "name", name(), "error", error.getMessage());
      }
    }

    private String name() {
      return empty.getDescriptorForType().getFullName();
    }
  }

  static Codec timed(Codec plain) {
    return new Timed(plain);
  }

  /** Messages with times. Those that TypeScript refuses are refused; protobuf accepts them. */
  private record Timed(Codec plain) implements Codec {
    @Override
    public ByteString encode(Object value) {
      ByteString raw = plain.encode(value);
      checkTimes((Message) value);
      return raw;
    }

    @Override
    public Object decode(ByteString raw) {
      Message message = (Message) plain.decode(raw);
      checkTimes(message);
      return message;
    }

    private static void checkTimes(Message message) {
      if (message instanceof Timestamp time) {
        if (time.getNanos() < 0 || time.getNanos() > 999_999_999)
          throw new Refused("nanosOutOfRange");
        if (time.getSeconds() < -62_135_596_800L || time.getSeconds() > 253_402_300_799L)
          throw new Refused("timestampOutOfRange");
      }
      message.getAllFields().forEach(Timed::checkField);
    }

    /** Of a map, a value is the list of its entries, which are messages. */
    private static void checkField(FieldDescriptor field, Object value) {
      if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) return;
      List<?> parts = field.isRepeated() ? (List<?>) value : List.of(value);
      parts.forEach(part -> checkTimes((Message) part));
    }
  }

  static Codec versioned(Codec plain, String field, int number, int current) {
    return new Versioned(plain, field, number, current);
  }

  /** Messages with a version in a field; TypeScript upgrades earlier versions. */
  private record Versioned(Codec plain, String field, int number, int current) implements Codec {
    private FieldDescriptor descriptor(Message message) {
      return message.getDescriptorForType().findFieldByNumber(number);
    }

    @Override
    public ByteString encode(Object value) {
      ByteString raw = plain.encode(value);
      Message message = (Message) value;
      FieldDescriptor version = descriptor(message);
      if (message.hasField(version)) return raw;
      // It was created for the current class.
      return plain.encode(message.toBuilder().setField(version, current).build());
    }

    @Override
    public Object decode(ByteString raw) {
      Message message = (Message) plain.decode(raw);
      FieldDescriptor version = descriptor(message);
      long stored =
          message.hasField(version)
              ? Integer.toUnsignedLong((Integer) message.getField(version))
              : 1;
      if (stored == current) return message;
      Object[] given = {"stored", stored, "current", current};
      if (stored > 0 && stored < current)
        throw new Refused("earlierVersion", given).unsupported().at("." + field);
      throw new Refused("unknownVersion", given).at("." + field);
    }
  }

  /** The keys of a column map as qualifiers. */
  static final class Qualifiers {
    private final String kind;
    private final Field field; //if map.typed

    Qualifiers(Segment segment) {
      kind = segment.kind;
      field = kind.equals("string") ? null : fieldOf(segment, false); //if map.typed
    }

    ByteString encode(Object key) {
      //if map.typed
      if (!kind.equals("string"))
        try {
          if (key == null) throw new Refused("nullValue");
          return bytesOf(field.write(key));
        } catch (Refused refused) {
          refused.fix = fix(kind + "Key");
          throw refused;
        }
      //end
      return text((String) key);
    }

    private static ByteString text(String key) {
      if (key == null) throw new Refused("keyNotAString", "given", "null");
      String raw = utf8(key, "loneSurrogateInKey");
      if (raw.length() > 16_384) throw new Refused("qualifierTooLong", "length", raw.length());
      return bytesOf(raw);
    }

    Object decode(ByteString raw) {
      //if map.typed
      if (!kind.equals("string")) {
        Object key = field.read(rawOf(raw));
        if (key == NOT_A_VALUE) throw new Refused("foreignQualifier", "kind", kind);
        return key;
      }
      //end
      if (!raw.isValidUtf8()) throw new Refused("qualifierNotUtf8");
      return raw.toStringUtf8();
    }
  }

  /** Whether a text is JSON, whatever its depth. */
  private static final class Json {
    private final String text;
    private int at;

    private Json(String text) {
      this.text = text;
    }

    static boolean isValid(String text) {
      return new Json(text).isValid();
    }

    /** Values and brackets in turn: {@code open} are the brackets around the next value. */
    private boolean isValid() {
      StringBuilder open = new StringBuilder();
      while (true) {
        boolean isEmpty = false;
        while (!isEmpty && take('[', '{')) {
          open.append(text.charAt(at - 1));
          isEmpty = take(closing(open), closing(open));
          if (!isEmpty && last(open) == '{' && !isName()) return false;
        }
        if (isEmpty) open.setLength(open.length() - 1);
        else if (!isScalar()) return false;
        while (!open.isEmpty() && take(closing(open), closing(open)))
          open.setLength(open.length() - 1);
        if (open.isEmpty()) return isEnd();
        if (!take(',', ',')) return false;
        if (last(open) == '{' && !isName()) return false;
      }
    }

    private static char last(StringBuilder open) {
      return open.charAt(open.length() - 1);
    }

    private static char closing(StringBuilder open) {
      return last(open) == '[' ? ']' : '}';
    }

    private boolean take(char one, char other) {
      isEnd();
      if (at == text.length() || (text.charAt(at) != one && text.charAt(at) != other)) return false;
      at++;
      return true;
    }

    private boolean isEnd() {
      while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) at++;
      return at == text.length();
    }

    private boolean isName() {
      isEnd();
      return at < text.length() && text.charAt(at) == '"' && isString() && take(':', ':');
    }

    private boolean isScalar() {
      if (isEnd()) return false;
      if (text.charAt(at) == '"') return isString();
      int start = at;
      while (at < text.length() && "+-.0123456789Eaeflnrstu".indexOf(text.charAt(at)) >= 0) at++;
      return text.substring(start, at)
          .matches("true|false|null|-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
    }

    private boolean isString() {
      for (at++; at < text.length(); at++) {
        char each = text.charAt(at);
        if (each < ' ') return false;
        if (each == '"') return at++ >= 0;
        if (each == '\\' && !isEscape()) return false;
      }
      return false;
    }

    private boolean isEscape() {
      at++;
      if (at == text.length()) return false;
      if (text.charAt(at) != 'u') return "\"\\/bfnrt".indexOf(text.charAt(at)) >= 0;
      at += 4;
      return at < text.length() && text.substring(at - 3, at + 1).matches("[0-9a-fA-F]{4}");
    }
  }
