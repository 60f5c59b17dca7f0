package dev.rialto.text;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads JSON documents.
 *
 * <p>A document is made of ordinary Java values. {@link #write(Object)} takes {@code null},
 * booleans, numbers, text, enums (by name), {@link java.util.Optional} (its value or {@code null}),
 * maps with text or enum keys, iterables, arrays, and records, whose components become members.
 * {@link #read(String)} gives back {@code null}, {@link Boolean}, {@link Long}, {@link Double},
 * {@link String}, {@link java.util.List} and {@link java.util.Map}, both of them unmodifiable and
 * in the order of the document.
 *
 * <p>JSON has no not-a-number and no infinities: they are written as {@code null}.
 */
public final class Json {

  private Json() {}

  /**
   * Writes a value on one line.
   *
   * @param value the value
   * @return its JSON text, without a line end
   * @throws IllegalArgumentException if the value, or one inside it, has no JSON form
   */
  public static String write(@Nullable Object value) {
    return write(value, 0);
  }

  /**
   * Writes a value for people to read: one member or element to a line, except that what holds no
   * further structure and is short stays on its line.
   *
   * @param value the value
   * @return its JSON text, without a final line end
   * @throws IllegalArgumentException if the value, or one inside it, has no JSON form
   */
  public static String writeIndented(@Nullable Object value) {
    return write(value, 2);
  }

  /**
   * Reads one JSON document.
   *
   * <p>The reader takes exactly RFC 8259: no comments, no trailing commas, no second document. A
   * number without fraction and exponent that fits is a {@link Long}, any other is a {@link
   * Double}. A name that occurs twice in an object is refused, because readers differ on what it
   * means.
   *
   * @param text the document
   * @return the value
   * @throws JsonException if the text is not one JSON document
   */
  public static @Nullable Object read(String text) {
    return new JsonReader(text).document();
  }

  /**
   * Reads one JSON document that is an object.
   *
   * @param text the document
   * @return its members
   * @throws IllegalArgumentException if the text is not one JSON document, or is not an object
   */
  public static Map<?, ?> readObject(String text) {
    if (read(text) instanceof Map<?, ?> object) {
      return object;
    }
    throw new IllegalArgumentException("a JSON document that is not an object; give one in {}");
  }

  /**
   * Returns a member of an object.
   *
   * @param <T> the Java form of the member
   * @param object what {@link #read} gave
   * @param name the member's name
   * @param type the Java form of the member
   * @return the member's value
   * @throws IllegalArgumentException if there is no such member, or it is of another type
   */
  public static <T> T member(Map<?, ?> object, String name, Class<T> type) {
    Object value = object.get(name);
    if (type.isInstance(value)) {
      return type.cast(value);
    }
    throw new IllegalArgumentException(
        value == null
            ? "there is no member \"%s\"; there are %s".formatted(name, object.keySet())
            : "\"%s\" is %s, not a %s".formatted(name, value, type.getSimpleName()));
  }

  private static String write(@Nullable Object value, int indent) {
    StringBuilder out = new StringBuilder();
    new JsonWriter(out, indent).value(value);
    return out.toString();
  }
}
