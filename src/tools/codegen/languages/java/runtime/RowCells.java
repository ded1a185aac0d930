package rowsmith.rows;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import rowsmith.rows.RowWords.Refused;

/** The values of cells. */
final class RowCells {
  private static final long MAX_MICROS = 8_640_000_000_000_000_000L;

  private RowCells() {}

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
  static Codec message(String className) {
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
        case "string", "json" -> text((String) value);
        case "bytes" -> (ByteString) value;
        case "bool" -> ByteString.copyFrom(new byte[] {(byte) ((Boolean) value ? 1 : 0)});
        case "double" -> int64(Double.doubleToLongBits((Double) value));
        case "float" -> bytes(ByteBuffer.allocate(4).putFloat((Float) value));
        case "timestamp" -> int64(RowFields.millis(value) * 1000);
        case "date" -> day((LocalDate) value);
        case "uint32" -> int64(inRange((Long) value));
        default -> int64(((Number) value).longValue());
      };
    }

    private ByteString text(String value) {
      if (!RowFields.isWellFormed(value)) throw new Refused("loneSurrogateInCell");
      if (kind.equals("json") && !Json.isValid(value))
        throw new Refused("notJson", "given", RowWords.textOf(value));
      return ByteString.copyFromUtf8(value);
    }

    private static ByteString day(LocalDate value) {
      if (value.getYear() < 0 || value.getYear() > 9999)
        throw new Refused("wrongDay", "given", value);
      return ByteString.copyFromUtf8(value.toString());
    }

    private long inRange(long number) {
      if (number >= 0 && number <= 0xffffffffL) return number;
      String given = RowWords.textOf(number);
      throw new Refused("cellRange", "given", given, "kind", kind, "min", 0, "max", 0xffffffffL);
    }

    @Override
    public Object decode(ByteString raw) {
      return switch (kind) {
        case "string", "json", "date" -> decodeText(raw);
        case "bytes" -> raw;
        case "bool" -> decodeBool(sized(raw, 1).get());
        case "float" -> sized(raw, 4).getFloat();
        case "double" -> sized(raw, 8).getDouble();
        default -> decodeLong(sized(raw, 8).getLong());
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

    private Object decodeLong(long number) {
      boolean isInt32 = kind.equals("int32");
      if (isInt32 && number != (int) number || kind.equals("uint32") && number >>> 32 != 0)
        throw new Refused("cellOutOfRange", "number", number, "kind", kind);
      if (isInt32) return (int) number;
      if (!kind.equals("timestamp")) return number;
      if (number % 1000 != 0) throw new Refused("cellMicroseconds");
      if (number > MAX_MICROS || number < -MAX_MICROS) throw new Refused("cellBeyondDates");
      return Instant.ofEpochMilli(number / 1000);
    }

    private Object decodeText(ByteString raw) {
      String text = raw.isValidUtf8() ? raw.toStringUtf8() : null;
      if (kind.equals("date")) return decodeDay(text);
      if (text == null) throw new Refused("cellNotUtf8");
      if (kind.equals("json") && !Json.isValid(text)) throw new Refused("cellNotJson");
      return text;
    }

    private static LocalDate decodeDay(String text) {
      try {
        if (text != null && text.matches("[0-9]{4}-[0-9]{2}-[0-9]{2}"))
          return LocalDate.parse(text);
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
        throw new Refused("wrongMessage", "name", name(), "given", RowWords.textOf(value));
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

  /** The keys of a column map as qualifiers. */
  static final class Qualifiers {
    private final String kind;
    private final RowFields.Field field;

    Qualifiers(RowKeys.Segment segment) {
      kind = segment.kind;
      field = RowFields.of(segment, false);
    }

    ByteString encode(Object key) {
      if (kind.equals("string")) return text((String) key);
      try {
        if (key == null) throw new Refused("nullValue");
        return RowFields.bytesOf(field.write(key));
      } catch (Refused refused) {
        refused.fix = RowWords.fix(kind + "Key");
        throw refused;
      }
    }

    private static ByteString text(String key) {
      if (key == null) throw new Refused("keyNotAString", "given", "null");
      String raw = RowFields.utf8(key, "loneSurrogateInKey");
      if (raw.length() > 16_384) throw new Refused("qualifierTooLong", "length", raw.length());
      return RowFields.bytesOf(raw);
    }

    Object decode(ByteString raw) {
      if (kind.equals("string")) {
        if (!raw.isValidUtf8()) throw new Refused("qualifierNotUtf8");
        return raw.toStringUtf8();
      }
      Object key = field.read(RowFields.rawOf(raw));
      if (key == RowFields.NOT_A_VALUE) throw new Refused("foreignQualifier", "kind", kind);
      return key;
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
}
