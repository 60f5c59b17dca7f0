package dev.rialto.exchange.plan;

/**
 * The effect of an element that is received.
 *
 * <p>Where contributions are added they are added in the order of the ranks that sent them, in
 * every scheme: the result has the same bits whichever scheme runs, and where several ranks hold a
 * copy of an element, the same bits on each.
 */
public enum Combine {
  /** It replaces what is there; no element is received twice. */
  REPLACE,
  /** It is added to what is there. */
  ADD,
  /** The sum of all that is received replaces what is there. */
  SUM,
  /** The mean of all that is received replaces what is there. Not for integers. */
  AVERAGE
}
