package dev.rialto.exchange;

/**
 * The messages that one run sent from this rank.
 *
 * @param messages how many messages
 * @param bytes of the elements sent
 * @param wireBytes of the messages, which a codec makes fewer
 * @param maxError the largest difference of a number from what the receiver gets; 0 if lossless
 * @param rmsError the root of the mean square of the differences
 * @param raw how many messages were sent as they are, because the codec would not have kept its
 *     bound, or made them longer
 */
public record ExchangeReport(
    int messages, long bytes, long wireBytes, double maxError, double rmsError, int raw) {
  /** Returns how many times fewer bytes moved than elements have; 1 without a codec. */
  public double ratio() {
    return wireBytes == 0 ? 1 : (double) bytes / wireBytes;
  }
}
