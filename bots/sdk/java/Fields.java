import java.util.List;
import java.util.Map;

/** A map of a call. What is read from it must be there and be of the type, or the bot ends. */
final class Fields implements Bot.Move {
  private final Fields up;
  private final String name;
  private final Map<String, Object> values;

  Fields(Fields up, String name, Map<String, Object> values) {
    this.up = up;
    this.name = name;
    this.values = values;
  }

  @Override
  public Map<String, Object> fields() {
    return values;
  }

  /** What the map is called in the message; the message itself is called as its type. */
  String name() {
    return name;
  }

  /** Whether the field is there and not nil. */
  boolean has(String name) {
    return values.get(name) != null;
  }

  int integer(String name) {
    return small(name, values.get(name));
  }

  long longInteger(String name) {
    return as(Long.class, name, values.get(name));
  }

  boolean bool(String name) {
    return as(Boolean.class, name, values.get(name));
  }

  String text(String name) {
    return as(String.class, name, values.get(name));
  }

  Fields map(String name) {
    return map(name, values.get(name));
  }

  /** A list of anything: of Boolean, Long, String, List and Map. */
  List<?> list(String name) {
    return as(List.class, name, values.get(name));
  }

  List<Fields> maps(String name) {
    return list(name).stream().map(item -> map(name, item)).toList();
  }

  List<String> texts(String name) {
    return list(name).stream().map(item -> as(String.class, name, item)).toList();
  }

  List<Integer> integers(String name) {
    return list(name).stream().map(item -> small(name, item)).toList();
  }

  /** A row and a column. */
  Bot.Point point(String name) {
    List<Integer> numbers = integers(name);
    if (numbers.size() != 2) {
      throw wrong(name, "a row and a column", numbers);
    }
    return new Bot.Point(numbers.get(0), numbers.get(1));
  }

  @Override
  public String toString() {
    return values.toString();
  }

  @SuppressWarnings("unchecked") // the keys of a map that was read are texts
  private Fields map(String name, Object value) {
    return new Fields(this, name, as(Map.class, name, value));
  }

  private int small(String name, Object value) {
    long number = as(Long.class, name, value);
    if (number != (int) number) {
      throw wrong(name, "an int", number);
    }
    return (int) number;
  }

  private <T> T as(Class<T> type, String name, Object value) {
    if (!type.isInstance(value)) {
      throw wrong(name, type.getSimpleName(), value);
    }
    return type.cast(value);
  }

  private Wire.Fault wrong(String field, String expected, Object found) {
    String path = name + "." + field;
    for (Fields map = up; map != null; map = map.up) {
      path = map.name + "." + path;
    }
    return new Wire.Fault("%s: %s expected, not %s", path, expected, Wire.shown(found));
  }
}
