package dev.rialto.runtime.memory;

/** The way in which memory for a buffer is found. */
public enum AllocationMode {
  /** From pools: small ones in size classes, large ones whole. */
  POOLED,
  /** For data that lives long: no rounding, kept for the same size until a cleanup. */
  PERSISTENT,
  /** An allocation of its own, given back once the buffer is closed and no stream uses it. */
  EXACT
}
