package dev.rialto.jit.lift;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The accesses of a method that look at their index before they touch memory. A site is an index of
 * an access, numbered in the order in which the method comes to them.
 *
 * @param trusted the package, as class files spell it, whose own accesses are no sites; empty if
 *     all are
 * @param chosen the sites that are guarded; null for all of them
 * @param proving whether the method is never compiled but {@linkplain
 *     dev.rialto.jit.lift.range.IndexProof proved}: places of items are variables of their own, so
 *     that their bounds are known, which those of a sum of block and local place are not
 */
public record GuardedSites(String trusted, @Nullable Set<Integer> chosen, boolean proving) {
  /** No access is guarded. */
  public static final GuardedSites NONE = new GuardedSites("", Set.of(), false);

  /** Returns all sites, to be {@linkplain dev.rialto.jit.lift.range.IndexProof proved}. */
  public static GuardedSites toProve(String trusted) {
    return new GuardedSites(trusted, null, true);
  }

  /** Returns some of the sites that {@link #toProve} numbers. */
  public static GuardedSites of(String trusted, Set<Integer> chosen) {
    return new GuardedSites(trusted, Set.copyOf(chosen), false);
  }

  boolean isGuarded(int site) {
    return chosen == null || chosen.contains(site);
  }
}
