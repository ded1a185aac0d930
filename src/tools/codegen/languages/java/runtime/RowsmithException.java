package rowsmith.rows;

/** Says why a key, value or row is not allowed. {@code code} is stable, the rest tells more. */
public final class RowsmithException extends RuntimeException {
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
    return "[%s] %s %s: %s; %s".formatted(code, RowWords.message(code), where, problem, fix);
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
