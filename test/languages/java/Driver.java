package rowsmith.rows;

import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.BigtableDataSettings;
import com.google.cloud.bigtable.data.v2.internal.RequestContext;
import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.ReadModifyWriteRow;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowCell;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Runs generated classes: a line of JSON for each list of requests, and one for the answers. */
public final class Driver {
  /** A value that the types of Java refuse. */
  private static final class ByTypes extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static BigtableDataClient client;

  public static void main(String[] args) throws Exception {
    if (args.length > 0) {
      int colon = args[0].lastIndexOf(':');
      int port = Integer.parseInt(args[0].substring(colon + 1));
      client =
          BigtableDataClient.create(
              BigtableDataSettings.newBuilderForEmulator(args[0].substring(0, colon), port)
                  .setProjectId("p")
                  .setInstanceId("instance-1")
                  .build());
    }
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      JsonArray answers = new JsonArray();
      for (JsonElement each : JsonParser.parseString(line).getAsJsonArray())
        answers.add(answer(each.getAsJsonObject()));
      output.println(answers);
    }
    if (client != null) client.close();
  }

  private static JsonObject answer(JsonObject request) {
    JsonObject answer = new JsonObject();
    try {
      Class<?> type = Class.forName("rowsmith.rows." + request.get("module").getAsString());
      answer.add("ok", new Driver(type, request).run(request.get("op").getAsString()));
    } catch (ByTypes error) {
      answer.addProperty("types", true);
    } catch (Rows.RowsmithException error) {
      JsonObject shown = new JsonObject();
      shown.addProperty("code", error.code());
      shown.addProperty("property", error.property());
      shown.addProperty("problem", error.problem());
      shown.addProperty("fix", error.fix());
      answer.add("error", shown);
    } catch (Exception error) {
      answer.addProperty("failure", error + " " + Arrays.toString(error.getStackTrace()));
    }
    return answer;
  }

  private final Class<?> type;
  private final JsonObject request;

  private Driver(Class<?> type, JsonObject request) {
    this.type = type;
    this.request = request;
  }

  private JsonElement run(String op) throws Exception {
    return switch (op) {
      case "encode" ->
          new JsonPrimitive(hex(key(request.getAsJsonObject("values"), request.get("within"))));
      case "parse" -> fieldsOf(call("parseKey", bytes(request.get("key"))));
      case "ranges" -> ranges();
      case "read" -> read();
      case "write" -> write();
      case "store" -> store();
      case "count" -> count();
      case "fetch" -> fetch();
      default -> throw new IllegalArgumentException(op);
    };
  }

  // --- Operations

  private ByteString key(JsonObject values, JsonElement within) throws Exception {
    Object[] segments = segments(values);
    if (within == null) return (ByteString) call("keyOf", segments);
    Object key = keyType().getDeclaredConstructors()[0].newInstance(segments);
    return (ByteString) within(key, within);
  }

  /** The package has scopes if a key has several segments. */
  private Object within(Object of, JsonElement values) throws Exception {
    Object scope = callWith("scope", values.getAsJsonObject());
    return unwrapped(of.getClass().getMethod("within", scope.getClass()), of, scope);
  }

  private Class<?> keyType() throws ClassNotFoundException {
    return Class.forName(type.getName() + "$Key");
  }

  /** The values of all segments. */
  private Object[] segments(JsonObject values) throws Exception {
    List<Object> found = new ArrayList<>();
    for (RecordComponent each : keyType().getRecordComponents())
      found.add(valueOf(values.get(each.getName()), each.getGenericType()));
    return found.toArray();
  }

  private Rows.KeySet keySet(JsonObject values) throws Exception {
    boolean isBound =
        values.entrySet().stream()
            .anyMatch(
                each ->
                    each.getValue() instanceof JsonObject o
                        && List.of("$between", "$startsWith", "$subdomains")
                            .contains(o.keySet().iterator().next()));
    Rows.KeySet found = (Rows.KeySet) callWith(isBound ? "range" : "prefix", values);
    return request.has("within") ? (Rows.KeySet) within(found, request.get("within")) : found;
  }

  private JsonElement ranges() throws Exception {
    JsonArray found = new JsonArray();
    for (Rows.KeyRange each : keySet(request.getAsJsonObject("values")).ranges()) {
      JsonArray pair = new JsonArray();
      pair.add(hex(each.start()));
      pair.add(each.end() == null ? JsonNull.INSTANCE : new JsonPrimitive(hex(each.end())));
      found.add(pair);
    }
    return found;
  }

  private JsonElement read() throws Exception {
    List<RowCell> cells = new ArrayList<>();
    for (JsonElement each : request.getAsJsonArray("cells")) {
      JsonArray cell = each.getAsJsonArray();
      ByteString qualifier = bytes(cell.get(1));
      long micros = cell.get(3).getAsLong();
      cells.add(
          RowCell.create(
              cell.get(0).getAsString(), qualifier, micros, List.of(), bytes(cell.get(2))));
    }
    var row = (Optional<?>) call("fromRow", Row.create(bytes(request.get("key")), cells));
    return row.isEmpty() ? JsonNull.INSTANCE : fieldsOf(row.get());
  }

  /** The row with the values, of which those that are left out are the defaults. */
  private Object row(JsonObject values) throws Exception {
    Class<?>[] types =
        Arrays.stream(keyType().getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    Object builder = unwrapped(type.getMethod("builder", types), null, segments(values));
    for (Method each : builder.getClass().getMethods())
      if (each.getReturnType() == builder.getClass() && values.has(each.getName())) {
        Type wanted = each.getGenericParameterTypes()[0];
        unwrapped(each, builder, valueOf(values.get(each.getName()), wanted));
      }
    return unwrapped(builder.getClass().getMethod("build"), builder);
  }

  private JsonElement write() throws Exception {
    Object row = row(request.getAsJsonObject("values"));
    Instant now = Instant.ofEpochMilli(request.get("now").getAsLong());
    boolean replace = request.get("replace").getAsBoolean();
    Mutation mutation = (Mutation) call("toMutations", row, now, replace);
    RowMutation whole = RowMutation.create(table(), (ByteString) call("keyOfRow", row), mutation);
    JsonArray found = new JsonArray();
    for (var each : whole.toProto(RequestContext.create("p", "instance-1", "")).getMutationsList())
      found.add(shown(each));
    return found;
  }

  /** Family, qualifier, value and microseconds of a cell that is set; else the mutation. */
  private static JsonElement shown(com.google.bigtable.v2.Mutation mutation) {
    if (!mutation.hasSetCell()) return new JsonPrimitive(mutation.toString());
    var cell = mutation.getSetCell();
    JsonArray found = new JsonArray();
    found.add(cell.getFamilyName());
    found.add(hex(cell.getColumnQualifier()));
    found.add(hex(cell.getValue()));
    found.add(cell.getTimestampMicros());
    return found;
  }

  private JsonElement store() throws Exception {
    boolean isReader =
        Arrays.stream(type.getMethods()).noneMatch(m -> m.getName().equals("builder"));
    if (isReader) call("toMutations", new Object[] {null});
    Object row = row(request.getAsJsonObject("values"));
    Mutation mutation = (Mutation) call("toMutations", row);
    client.mutateRow(RowMutation.create(table(), (ByteString) call("keyOfRow", row), mutation));
    return JsonNull.INSTANCE;
  }

  private TableId table() throws Exception {
    return TableId.of((String) type.getField("TABLE").get(null));
  }

  private JsonElement count() throws Exception {
    ByteString key = key(request.getAsJsonObject("key"), null);
    for (var each : request.getAsJsonObject("increments").entrySet()) {
      ReadModifyWriteRow change = ReadModifyWriteRow.create(table(), key);
      call("increment" + capital(each.getKey()), change, valueOf(each.getValue(), long.class));
      client.readModifyWriteRow(change);
    }
    Mutation added = Mutation.create();
    for (var each : request.getAsJsonObject("additions").entrySet()) {
      JsonObject amount = each.getValue().getAsJsonObject();
      String name = "add" + capital(each.getKey());
      if (amount.has("$int")) call(name, added, valueOf(amount, long.class));
      else
        for (JsonElement pair : amount.getAsJsonArray("$map")) {
          JsonArray entry = pair.getAsJsonArray();
          call(name, added, entry.get(0).getAsString(), valueOf(entry.get(1), long.class));
        }
    }
    client.mutateRow(RowMutation.create(table(), key, added));
    return JsonNull.INSTANCE;
  }

  private static String capital(String name) {
    return Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }

  private JsonElement fetch() throws Exception {
    JsonArray found = new JsonArray();
    String table = (String) type.getField("TABLE").get(null);
    for (Row stored : client.readRows(keySet(request.getAsJsonObject("values")).query(table))) {
      var row = (Optional<?>) call("fromRow", stored);
      if (row.isEmpty()) continue;
      JsonObject shown = fieldsOf(row.get());
      if (Arrays.stream(type.getMethods()).anyMatch(each -> each.getName().equals("rowKeyOf")))
        shown.addProperty("row", hex((ByteString) call("rowKeyOf", row.get())));
      found.add(shown);
    }
    return found;
  }

  // --- Calls of generated methods

  /** Calls a method by its name and the number of its arguments. */
  private Object call(String name, Object... arguments) throws Exception {
    for (Method each : type.getMethods())
      if (each.getName().equals(name)
          && each.getParameterCount() == arguments.length
          && accepts(each, arguments)) return unwrapped(each, null, arguments);
    throw new NoSuchMethodException(type + "." + name);
  }

  private static boolean accepts(Method method, Object[] arguments) {
    for (int i = 0; i < arguments.length; i++) {
      Class<?> wanted = method.getParameterTypes()[i];
      if (arguments[i] != null && !wanted.isPrimitive() && !wanted.isInstance(arguments[i]))
        return false;
    }
    return true;
  }

  /** Calls a method with values of leading segments: their number decides which one it is. */
  private Object callWith(String name, JsonObject values) throws Exception {
    RecordComponent[] segments = keyType().getRecordComponents();
    int next = 0;
    for (String each : values.keySet())
      if (next == segments.length || !segments[next++].getName().equals(each)) throw new ByTypes();
    for (Method each : type.getMethods())
      if (each.getName().equals(name) && each.getParameterCount() == values.size()) {
        List<Object> arguments = new ArrayList<>();
        for (JsonElement value : values.asMap().values())
          arguments.add(valueOf(value, each.getGenericParameterTypes()[arguments.size()]));
        return unwrapped(each, null, arguments.toArray());
      }
    throw new ByTypes();
  }

  private static Object unwrapped(Method method, Object target, Object... arguments)
      throws Exception {
    try {
      method.setAccessible(true);
      return method.invoke(target, arguments);
    } catch (InvocationTargetException error) {
      if (error.getCause() instanceof Exception cause) throw cause;
      throw error;
    }
  }

  // --- Values in their tagged form

  private static Object valueOf(JsonElement json, Type type) throws Exception {
    if (json == null || json.isJsonNull()) {
      if (type instanceof Class<?> plain && plain.isPrimitive()) throw new ByTypes();
      return null;
    }
    if (type instanceof ParameterizedType generic) return genericValue(json, generic);
    Class<?> wanted = (Class<?>) type;
    if (!json.isJsonObject()) return plainValue(json, wanted);
    JsonObject object = json.getAsJsonObject();
    String tag = object.keySet().iterator().next();
    return taggedValue(tag, object.get(tag), wanted);
  }

  private static Object plainValue(JsonElement json, Class<?> wanted) {
    JsonPrimitive value = json.isJsonPrimitive() ? json.getAsJsonPrimitive() : null;
    if (value != null
        && value.isBoolean()
        && List.of(boolean.class, Boolean.class).contains(wanted)) return value.getAsBoolean();
    if (value == null || !value.isString()) throw new ByTypes();
    String text = value.getAsString();
    if (wanted == String.class) return text;
    String plain = text.replace("-", "");
    if (wanted != UUID.class || !plain.matches("[0-9a-fA-F]{32}")) throw new ByTypes();
    return new UUID(
        Long.parseUnsignedLong(plain.substring(0, 16), 16),
        Long.parseUnsignedLong(plain.substring(16), 16));
  }

  private static Object taggedValue(String tag, JsonElement content, Class<?> wanted)
      throws Exception {
    Object found =
        switch (tag) {
          case "$int" -> integer(new BigInteger(content.getAsString()), wanted);
          case "$float" -> number(content.getAsString(), wanted);
          case "$time" -> Instant.ofEpochMilli(content.getAsLong());
          case "$micros" -> Instant.EPOCH.plusNanos(content.getAsLong() * 1000);
          case "$bytes" -> bytes(content);
          case "$decimal" -> new BigDecimal(content.getAsString());
          case "$date" -> LocalDate.parse(content.getAsString());
          case "$json" -> content.toString();
          case "$message" -> message(content, wanted);
          default -> throw new ByTypes();
        };
    boolean isBoxed = wanted.isPrimitive() || wanted.isInstance(found);
    boolean isSame =
        wanted == long.class && found instanceof Long
            || wanted == double.class && found instanceof Double
            || !wanted.isPrimitive();
    if (!isBoxed || !isSame) throw new ByTypes();
    return found;
  }

  private static Object integer(BigInteger value, Class<?> wanted) {
    if (wanted == BigInteger.class) return value;
    if (wanted == Integer.class && value.bitLength() < 32) return value.intValue();
    if (value.bitLength() > 63) throw new ByTypes();
    return value.longValue();
  }

  private static Object number(String bits, Class<?> wanted) {
    double value = Double.longBitsToDouble(Long.parseUnsignedLong(bits, 16));
    if (wanted != Float.class) return value;
    if (Double.isFinite(value) && Float.isInfinite((float) value)) throw new ByTypes();
    return (float) value;
  }

  private static Message message(JsonElement content, Class<?> wanted) throws Exception {
    byte[] raw = HexFormat.of().parseHex(content.getAsString());
    return (Message) wanted.getMethod("parseFrom", byte[].class).invoke(null, raw);
  }

  private static Object genericValue(JsonElement json, ParameterizedType type) throws Exception {
    Type[] inner = type.getActualTypeArguments();
    if (type.getRawType() == List.class) {
      List<Object> found = new ArrayList<>();
      if (!json.isJsonArray()) throw new ByTypes();
      for (JsonElement each : json.getAsJsonArray()) found.add(valueOf(each, inner[0]));
      return found;
    }
    if (!json.isJsonObject()) throw new ByTypes();
    JsonObject object = json.getAsJsonObject();
    if (type.getRawType() == Rows.Bound.class) return bound(object, inner[0]);
    if (object.has("$version")) {
      JsonArray pair = object.getAsJsonArray("$version");
      Object at = valueOf(pair.get(0), Instant.class);
      var constructor = ((Class<?>) type.getRawType()).getDeclaredConstructors()[0];
      return constructor.newInstance(at, valueOf(pair.get(1), inner[0]));
    }
    Map<Object, Object> found = new LinkedHashMap<>();
    for (JsonElement each : object.getAsJsonArray("$map")) {
      JsonArray pair = each.getAsJsonArray();
      found.put(valueOf(pair.get(0), inner[0]), valueOf(pair.get(1), inner[1]));
    }
    return found;
  }

  private static Object bound(JsonObject object, Type type) throws Exception {
    if (object.has("$between")) {
      JsonArray ends = object.getAsJsonArray("$between");
      var constructor =
          Rows.Bound.class.getDeclaredConstructor(Rows.End.class, Rows.End.class);
      constructor.setAccessible(true);
      return constructor.newInstance(end(ends.get(0), type), end(ends.get(1), type));
    }
    if (type != String.class) throw new ByTypes();
    String name = object.keySet().iterator().next();
    String text = object.get(name).getAsString();
    return Rows.class.getMethod(name.substring(1), String.class).invoke(null, text);
  }

  private static Rows.End end(JsonElement json, Type type) throws Exception {
    if (json.isJsonNull()) return null;
    JsonArray pair = json.getAsJsonArray();
    return new Rows.End(valueOf(pair.get(0), type), pair.get(1).getAsBoolean());
  }

  private static ByteString bytes(JsonElement hex) {
    return ByteString.copyFrom(HexFormat.of().parseHex(hex.getAsString()));
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  private static JsonObject fieldsOf(Object row) throws Exception {
    JsonObject found = new JsonObject();
    for (RecordComponent each : row.getClass().getRecordComponents())
      found.add(each.getName(), jsonOf(each.getAccessor().invoke(row)));
    return found;
  }

  private static JsonElement jsonOf(Object value) {
    if (value == null) return JsonNull.INSTANCE;
    if (value instanceof Boolean flag) return new JsonPrimitive(flag);
    if (value instanceof String || value instanceof UUID)
      return new JsonPrimitive(value.toString());
    JsonObject found = new JsonObject();
    if (value instanceof Long || value instanceof Integer || value instanceof BigInteger)
      found.addProperty("$int", value.toString());
    else if (value instanceof BigDecimal decimal)
      found.addProperty("$decimal", decimal.toPlainString());
    else if (value instanceof Number number)
      found.addProperty(
          "$float", "%016x".formatted(Double.doubleToRawLongBits(number.doubleValue())));
    else if (value instanceof Instant time) found.addProperty("$time", time.toEpochMilli());
    else if (value instanceof LocalDate day) found.addProperty("$date", day.toString());
    else if (value instanceof ByteString bytes) found.addProperty("$bytes", hex(bytes));
    else if (value instanceof Message message)
      found.addProperty("$message", hex(message.toByteString()));
    else return compoundOf(value, found);
    return found;
  }

  private static Object valueIn(Record record, RecordComponent component) {
    try {
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  private static JsonElement compoundOf(Object value, JsonObject found) {
    JsonArray items = new JsonArray();
    if (value instanceof List<?> list) {
      list.forEach(each -> items.add(jsonOf(each)));
      return items;
    }
    if (value instanceof Record version) {
      for (RecordComponent each : version.getClass().getRecordComponents())
        items.add(jsonOf(valueIn(version, each)));
      found.add("$version", items);
      return found;
    }
    ((Map<?, ?>) value)
        .forEach(
            (key, each) -> {
              JsonArray pair = new JsonArray();
              pair.add(jsonOf(key));
              pair.add(jsonOf(each));
              items.add(pair);
            });
    found.add("$map", items);
    return found;
  }
}
