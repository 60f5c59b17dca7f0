package dev.rialto.text;

/** Writes and reads JSON documents. */
public final class Json {
  private Json() {}
}
