package dev.rialto.spi.code;

import dev.rialto.spi.Probe;
import dev.rialto.spi.device.Device;
import java.util.List;
import java.util.Optional;

/**
 * Turns loop nests into code that the host's threads call, or launch on a device. It knows nothing
 * of queues, threads or memory.
 *
 * <p>Found by {@link java.util.ServiceLoader}; made with a public constructor without arguments
 * that does nothing costly. Thread-safe.
 */
public interface CodeTarget {
  /** Returns a short unique name in lower case, such as {@code jvm}; it never changes. */
  String name();

  /** Looks whether this target can be used here; never throws. */
  Probe probe();

  /** Returns the C that it reads; empty if it reads the procedures as they are. */
  default Optional<Dialect> dialect() {
    return Optional.empty();
  }

  /**
   * Returns the bits of the widest vector that it compiles well; 0 if vectors are not its thing.
   */
  int vectorBits();

  /**
   * Returns whether it compiles more than loads, stores and arithmetic of vectors well: selecting,
   * comparing, converting, counting.
   */
  default boolean vectorsBeyondArithmetic() {
    return true;
  }

  /**
   * Returns whether it contracts products and sums of a {@linkplain Unit#fast fast} unit itself;
   * those of kernels are then not contracted before it gets them.
   */
  default boolean contracts() {
    return false;
  }

  /** Returns whether it has instructions for {@link Stmt.TileStep}. */
  default boolean multipliesTiles() {
    return false;
  }

  /**
   * Returns the devices that its code runs on: buffers are then of a device's memory, and bodies
   * are bound to one of its streams. Empty if the code is called by the host's threads.
   */
  default List<Device> devices() {
    return List.of();
  }

  /**
   * Returns everything besides the unit that the image depends on: the compiler and its version,
   * flags, the processor.
   */
  String fingerprint();

  /**
   * Compiles a unit.
   *
   * @return bytes that {@link #load} takes, also in another process on this machine
   * @throws dev.rialto.spi.error.CompilationException if it cannot, with the compiler's own words
   */
  byte[] build(Unit unit);

  /**
   * Makes an image callable.
   *
   * @return the code, owned by the caller
   * @throws dev.rialto.spi.error.CompilationException if the image is not one
   */
  Code load(Unit unit, byte[] image);

  /**
   * Procedures that are compiled together.
   *
   * @param name for messages and files; letters, digits and underscores
   * @param procedures the code
   * @param fast whether a target may contract and reorder floating-point operations
   * @param source the procedures in the target's {@link CodeTarget#dialect}; empty if it has none
   */
  record Unit(String name, List<Procedure> procedures, boolean fast, String source) {
    /** Copies the procedures. */
    public Unit {
      procedures = List.copyOf(procedures);
    }
  }
}
