package dev.rialto.tck.generated.traffic;

/** In which order ranks send and receive. */
public enum Way {
  /** Message after message, each with a blocking send and a blocking receive. */
  IN_TURN,
  /** Everything is sent before anything is received: by non-blocking sends, blocking receives. */
  UNEXPECTED,
  /** All receives are posted before anything is sent. */
  POSTED,
  /** Non-blocking sends and receives in any order, completed in any order. */
  MIXED,
  /** Persistent requests, begun several times. */
  PERSISTENT,
  /** Every receive takes what comes, on a communicator of its own. */
  ANY_SOURCE,
  /** Sends and receives at once, round a ring. */
  RING
}
