package rowsmith.rows;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The words of errors: the sentences are the same in all languages. */
final class RowWords {
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

  private RowWords() {}

  private static Map<String, String> parsed(String lines) {
    Map<String, String> found = new HashMap<>();
    for (String line : lines.split("\n")) {
      int end = line.indexOf(": ");
      found.put(line.substring(0, end), line.substring(end + 2));
    }
    return found;
  }

  static String message(String code) {
    return MESSAGES.getOrDefault(code, "");
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

    Refused(String word, Object... given) {
      super(word, null, false, false);
      problem = RowWords.problem(word, given);
      fix = RowWords.fix(word, given);
    }

    Refused at(String outer) {
      path = outer + path;
      return this;
    }

    RowsmithException error(String code, String entity, String property) {
      return new RowsmithException(code, problem, fix, entity, property + path);
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
}
