package dev.rialto.tck.fault;

/** The point of an operation at which a rank fails. */
enum Phase {
  /** Before it makes what the operation is described by. */
  BIND,
  /** When the operation is described, before it begins it. */
  START,
  /** When the operation is begun, before it does anything else. */
  BETWEEN,
  /** Before it waits for the operation. */
  AWAIT,
  /** When the operation is complete, before it closes what was made. */
  CLOSE
}
