package dev.rialto.system;

/**
 * The width of the processor's vectors as the JVM sees it, which knows every processor it runs on
 * and is told by {@code -XX:MaxVectorSize} and {@code -XX:UseAVX} to use less.
 */
public final class VectorWidth {
  private static final int BITS =
      ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()
          ? PreferredVector.bits()
          : 0;

  private VectorWidth() {}

  /** Returns the bits of the widest vectors worth using; 0 without the Vector API's module. */
  public static int bits() {
    return BITS;
  }
}
