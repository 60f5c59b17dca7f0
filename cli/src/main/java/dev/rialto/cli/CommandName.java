package dev.rialto.cli;

/**
 * The word with which Rialto was started, so that what a hint says can be typed: the launcher tells
 * it, {@code ./rialto} in a source tree.
 *
 * <p>Messages are written with {@code 'rialto ...'} everywhere and pass through here on their way
 * out.
 */
final class CommandName {
  private static final String HERE = System.getProperty("rialto.command", "rialto");

  private CommandName() {}

  /** Returns the word. */
  static String here() {
    return HERE;
  }

  /** Returns a message in which quoted commands start with the word. */
  static String in(String message) {
    return in(message, HERE);
  }

  static String in(String message, String word) {
    return message.replace("'rialto ", "'" + word + " ");
  }
}
