package dev.rialto.exchange;

import java.util.Locale;

/** The overlap of packing and unpacking with the moving of messages. */
public enum Staging {
  /** Pack all, move all, unpack all. */
  BULK,
  /** Pack all; unpack each message as it arrives. */
  PIPELINED,
  /** Send each message as soon as it is packed; unpack each as it arrives. */
  FUSED;

  /** Returns the name in schemes. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
