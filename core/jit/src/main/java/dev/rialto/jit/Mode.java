package dev.rialto.jit;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Where a node lives, and who changes it there.
 *
 * <p>A node begins with all of them possible. What happens to it leaves fewer and fewer: a program
 * that reads it before assigning it takes {@link #VIRTUAL} and {@link #LOCAL} away, one that
 * assigns it {@link #CONSTANT} and {@link #VOLATILE}, a host that writes it again {@link
 * #CONSTANT}.
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
