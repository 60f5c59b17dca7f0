package dev.rialto.jit;

/** Where a node lives. */
public enum Mode {
  /** Nowhere: each use computes it anew. */
  VIRTUAL,
  /** In memory that one routine has for itself. */
  LOCAL,
  /** In the memory of a context, from routine to routine. */
  DEVICE,
  /** As {@link #DEVICE}, and it may be copied from and to the host. */
  HOSTED
}
