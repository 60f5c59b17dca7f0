package dev.rialto.jit.kernel;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The values from outside that functions of a kernel use and each launch passes: arrays that they
 * read by their indices, with {@code get}, and the numbers that one of them captures.
 *
 * @param arrays gives the memory of an array that a function uses; null for any other object
 * @param first the array that is the kernel's first array argument, or null if that is no other's
 * @param function the function of indices that tells each element of the first array, of which it
 *     reads none but that; null if the kernel has no such function: then only the trusted package
 *     reads arrays
 * @param passesNumbers whether each launch passes the numbers that the function captures, which
 *     else are constants of the kernel
 * @param trusted the package, as class files spell it, whose own accesses are known to be right and
 *     are not checked; empty if all are checked
 */
public record Bindings(
    Function<Object, @Nullable IndexedMemory> arrays,
    @Nullable Object first,
    @Nullable Object function,
    boolean passesNumbers,
    String trusted) {
  /** Everything is a constant of the kernel. */
  public static final Bindings NONE = new Bindings(_ -> null, null, null, false, "");
}
