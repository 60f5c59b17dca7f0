package dev.rialto.spi.comm;

/** When a send is complete, and what it may rely on. */
public enum SendMode {
  /** Complete when the buffer may be reused; whether the receiver has begun is open. */
  STANDARD,
  /** Complete only once the receiver has begun to receive. */
  SYNCHRONOUS,
  /** As standard, but the caller promises that the receive is already posted. */
  READY
}
