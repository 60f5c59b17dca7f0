package dev.rialto.array.part;

/** Hashes by which ranks recognise that they do the same: equal in all processes. */
public final class Signature {
  private Signature() {}

  public static long of(String text) {
    long hash = 1;
    for (int i = 0; i < text.length(); i++) {
      hash = mix(hash, text.charAt(i));
    }
    return hash;
  }

  public static long mix(long hash, long word) {
    long mixed = (hash ^ word) * 0x9E3779B97F4A7C15L;
    return mixed ^ mixed >>> 32;
  }
}
