package dev.rialto.jit;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The home of a node, and its writer there.
 *
 * <p>A node begins with all of them possible. Its maker leaves fewer, and so does a host that
 * writes it again: it is not {@link #CONSTANT} then. Each program that is compiled chooses among
 * what is left, for itself alone: one that reads a node before assigning it not {@link #VIRTUAL}
 * and {@link #LOCAL}, one that assigns it not {@link #CONSTANT} and {@link #VOLATILE}.
 */
public enum Mode {
  /** Nowhere: each use computes it anew. */
  VIRTUAL,
  /** In memory that one routine has for itself. */
  LOCAL,
  /** In the memory of a context, from routine to routine. */
  DEVICE,
  /** On the host too, which writes it into a context once; nothing changes it there. */
  CONSTANT,
  /** On the host too, which alone changes it, as often as it likes. */
  VOLATILE,
  /** On the host too; programs change it, and so may the host. */
  HOSTED;

  private static final Set<Mode> ON_HOST =
      Collections.unmodifiableSet(EnumSet.of(CONSTANT, VOLATILE, HOSTED));
  private static final Set<Mode> IN_CONTEXT =
      Collections.unmodifiableSet(EnumSet.range(DEVICE, HOSTED));

  /** Returns those that can be copied from and to the host. */
  public static Set<Mode> onHost() {
    return ON_HOST;
  }

  /** Returns those that have memory in a context. */
  public static Set<Mode> inContext() {
    return IN_CONTEXT;
  }

  /** Returns all but one. */
  public static Set<Mode> not(Mode mode) {
    return EnumSet.complementOf(EnumSet.of(mode));
  }
}
