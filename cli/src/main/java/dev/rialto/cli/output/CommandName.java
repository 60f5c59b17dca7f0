package dev.rialto.cli.output;

/**
 * The word with which Rialto was started, so that what a hint says can be typed: the launcher tells
 * it, {@code ./rialto} in a source tree.
 *
 * <p>Messages are written with {@code 'rialto ...'} everywhere and pass through here on their way
 * out.
 */
public final class CommandName {
  private static final String HERE = System.getProperty("rialto.command", "rialto");

  private CommandName() {}

  public static String here() {
    return HERE;
  }

  /** Returns a message in which quoted commands start with the word. */
  public static String in(String message) {
    return in(message, HERE);
  }

  public static String in(String message, String word) {
    return message.replace("'rialto ", "'" + word + " ");
  }
}
