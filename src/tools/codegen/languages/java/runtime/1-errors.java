package rowsmith.rows;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.Range.ByteStringRange;
import com.google.cloud.bigtable.data.v2.models.Range.TimestampRange;
import com.google.cloud.bigtable.data.v2.models.ReadModifyWriteRow;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowCell;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.cloud.bigtable.data.v2.models.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.text.Normalizer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the rows of all entities share: keys, cells and errors. It has what their records use, and
 * no more.
 */
public final class Rows {
  private Rows() {}

  /** Says why a key, value or row is not allowed. {@code code} is stable, the rest tells more. */
  public static final class RowsmithException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String code;
    private final String entity;
    private final String property;
    private final String problem;
    private final String fix;

    RowsmithException(String code, String problem, String fix, String entity, String property) {
      super(message(code, problem, fix, entity, property));
      this.code = code;
      this.problem = problem;
      this.fix = fix;
      this.entity = entity;
      this.property = property;
    }

    private static String message(
        String code, String problem, String fix, String entity, String property) {
      String where = property == null ? entity : entity + "." + property;
      return "[%s] %s %s: %s; %s".formatted(code, MESSAGES.get(code), where, problem, fix);
    }

    public String code() {
      return code;
    }

    public String entity() {
      return entity;
    }

    /** The segment or column as TypeScript declares it; null if it is none. */
    public String property() {
      return property;
    }

    public String problem() {
      return problem;
    }

    public String fix() {
      return fix;
    }
  }

  /** The messages of all error codes. */
  private static final Map<String, String> MESSAGES =
      parsed(
          """
          MESSAGES
          """);

  /** What is wrong, and how to fix it. */
  private static final Map<String, String> WORDS =
      parsed(
          """
          WORDS
          """);

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{(\\w+)\\}");

  private static Map<String, String> parsed(String lines) {
    Map<String, String> found = new HashMap<>();
    for (String line : lines.split("\n")) {
      int end = line.indexOf(": ");
      found.put(line.substring(0, end), line.substring(end + 2));
    }
    return found;
  }

  /** The problem of a word; {@code given} are names and values of its placeholders. */
  static String problem(String word, Object... given) {
    return filled(part(word, 0), given);
  }

  static String fix(String word, Object... given) {
    return filled(part(word, 1), given);
  }

  private static String part(String word, int index) {
    return (WORDS.get(word) + " ").split(" \\| ", 2)[index].strip();
  }

  private static String filled(String text, Object... given) {
    return PLACEHOLDER
        .matcher(text)
        .replaceAll(
            found -> {
              for (int i = 0; i < given.length; i += 2)
                if (given[i].equals(found.group(1)))
                  return Matcher.quoteReplacement(String.valueOf(given[i + 1]));
              return Matcher.quoteReplacement(found.group());
            });
  }

  static RowsmithException error(
      String code, String word, String entity, String property, Object... given) {
    return new RowsmithException(code, problem(word, given), fix(word, given), entity, property);
  }

  /** A value or cell that is refused, before entity and property are known. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    final String problem;
    String fix;
    String path = "";
    private String code;

    Refused(String word, Object... given) {
      super(word, null, false, false);
      problem = problem(word, given);
      fix = fix(word, given);
    }

    Refused at(String outer) {
      path = outer + path;
      return this;
    }

    /** For stored values that this language cannot read. */
    Refused unsupported() {
      code = "UNSUPPORTED";
      return this;
    }

    RowsmithException error(String usual, String entity, String property) {
      String shown = code == null ? usual : code;
      return new RowsmithException(shown, problem, fix, entity, property + path);
    }
  }

  /** A value in a sentence: its type, and what it is if that is short. */
  static String textOf(Object value) {
    if (value == null || value instanceof Boolean) return String.valueOf(value);
    if (value instanceof String text)
      return "the string " + quoted(text.length() > 40 ? text.substring(0, 40) + "..." : text);
    if (value instanceof Number number) return "the number " + numberText(number);
    if (value instanceof Instant) return "an Instant";
    return "a " + value.getClass().getSimpleName();
  }

  /** As JSON.stringify writes it. */
  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.codePoints()
        .forEach(
            each -> {
              int escape = "\"\\\b\f\n\r\t".indexOf(each);
              if (escape >= 0) quoted.append('\\').append("\"\\bfnrt".charAt(escape));
              else if (each < ' ' || (each >= 0xd800 && each < 0xe000))
                quoted.append("\\u%04x".formatted(each));
              else quoted.appendCodePoint(each);
            });
    return quoted.append('"').toString();
  }

  /** A number as JavaScript writes it. */
  static String numberText(Number number) {
    if (!(number instanceof Double || number instanceof Float)) return number.toString();
    double value = number.doubleValue();
    if (value == 0) return 1 / value < 0 ? "-0" : "0";
    if (Double.isNaN(value) || Double.isInfinite(value)) return String.valueOf(value);
    BigDecimal exact = new BigDecimal(String.valueOf(value)).stripTrailingZeros();
    int exponent = exact.precision() - exact.scale() - 1;
    if (exponent >= -7 && exponent < 21) return exact.toPlainString();
    String digits = exact.unscaledValue().abs().toString();
    String rest = digits.length() == 1 ? "" : "." + digits.substring(1);
    String sign = value < 0 ? "-" : "";
    return sign + digits.charAt(0) + rest + (exponent < 0 ? "e" : "e+") + exponent;
  }

  static String membersText(List<?> members) {
    String shown =
        members.stream()
            .limit(10)
            .map(each -> each instanceof Number n ? numberText(n) : "'" + each + "'")
            .collect(Collectors.joining(", "));
    return members.size() > 10 ? shown + ", " + (members.size() - 10) + " more" : shown;
  }

  /** The key of a map in the path of an error. */
  static String indexPath(Object key) {
    if (key instanceof String || key instanceof Instant || key instanceof LocalDate)
      return "[" + quoted(key.toString()) + "]";
    return "[" + key + "]";
  }

  /** Refuses to write rows that other rows follow from, or code of TypeScript checks. */
  static RowsmithException unwritable(String entity, String reason) {
    return error("UNSUPPORTED", "unwritable", entity, null, "reason", reason);
  }
