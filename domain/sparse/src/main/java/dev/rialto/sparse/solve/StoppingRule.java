package dev.rialto.sparse.solve;

/** The quantity that is compared with the tolerance. */
public enum StoppingRule {
  /** |r| / |b|. */
  RIGHT_HAND_SIDE,
  /** |r| / |r0|, r0 being the residual of the initial guess. */
  INITIAL_RESIDUAL,
  /** The backward error |r| / (|A| |x| + |b|), in the maximum norm. */
  BACKWARD_ERROR
}
