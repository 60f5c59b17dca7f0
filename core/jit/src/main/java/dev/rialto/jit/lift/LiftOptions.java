package dev.rialto.jit.lift;

import dev.rialto.jit.kernel.Bindings;
import dev.rialto.jit.lift.classfile.ArrayCopies;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The choices of lifting a method.
 *
 * @param block the items of a block along each axis
 * @param elements the type of arrays that are {@link dev.rialto.jit.kernel.Reals} or {@link
 *     dev.rialto.jit.kernel.Integers}; null if there are none
 * @param bindings what functions that it calls use and each launch passes
 * @param passed the places of captured numbers that launches pass; the others are constants
 * @param marked whether a comment before each step that can go wrong tells its line
 * @param multipliesTiles whether the target has instructions for tiles
 * @param guarded the accesses that look at their index first
 * @param copies of arrays from outside, which all forms of a kernel share
 */
public record LiftOptions(
    Shape block,
    @Nullable DType elements,
    Bindings bindings,
    Set<Integer> passed,
    boolean marked,
    boolean multipliesTiles,
    GuardedSites guarded,
    ArrayCopies copies) {
  /** Captured numbers are constants, no access is guarded, and no step is marked. */
  public LiftOptions(
      Shape block, @Nullable DType elements, Bindings bindings, boolean multipliesTiles) {
    this(
        block,
        elements,
        bindings,
        Set.of(),
        false,
        multipliesTiles,
        GuardedSites.NONE,
        new ArrayCopies());
  }

  /** Nothing comes from outside but constants. */
  public LiftOptions(Shape block) {
    this(block, null, Bindings.NONE, false);
  }

  /** Returns these options for another form, which looks at arrays from outside anew. */
  public LiftOptions withPassed(Set<Integer> places) {
    return new LiftOptions(
        block,
        elements,
        bindings,
        Set.copyOf(places),
        marked,
        multipliesTiles,
        guarded,
        new ArrayCopies());
  }

  /** Returns these options with some accesses guarded. */
  public LiftOptions withGuarded(GuardedSites sites) {
    return new LiftOptions(
        block, elements, bindings, passed, marked, multipliesTiles, sites, copies);
  }

  /** Returns these options for steps that are looked at one by one. */
  public LiftOptions withMarks() {
    return new LiftOptions(block, elements, bindings, passed, true, false, guarded, copies);
  }
}
