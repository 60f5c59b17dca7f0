package dev.rialto.spi.vector;

/**
 * Whether the Vector API's module is present, and the width of the processor's vectors as the JVM
 * sees it, which knows every processor it runs on and is told by {@code -XX:MaxVectorSize} and
 * {@code -XX:UseAVX} to use less.
 */
public final class VectorApi {
  private static final boolean PRESENT =
      ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

  private static final int BITS = PRESENT ? PreferredVector.bits() : 0;

  private VectorApi() {}

  /** Returns whether loops of this package can be called. */
  public static boolean isPresent() {
    return PRESENT;
  }

  /** Returns the bits of the widest vectors worth using; 0 without the Vector API's module. */
  public static int bits() {
    return BITS;
  }
}
