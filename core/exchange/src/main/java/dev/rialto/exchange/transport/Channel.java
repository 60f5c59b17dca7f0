package dev.rialto.exchange.transport;

import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one exchange: made once, with whatever buffers, requests, windows or topologies
 * its transport needs, and used for every run.
 *
 * <p>A run is {@link #begin}; {@link #expect} for each incoming message whose place is not a buffer
 * of the channel; {@link #send} for each outgoing one, in the order of {@link #order}; {@link
 * #sent}; then, when the caller awaits, {@link #next} until nothing is left, {@link #release} for
 * each message that was read, and {@link #end}. Messages are numbered as in the {@link
 * ChannelSpec}. Only the calls from {@code next} on wait for peers, except that {@code begin} and
 * {@code send} may wait until a peer has ended the run before.
 */
public interface Channel extends AutoCloseable {
  /** Returns the order in which outgoing messages are best sent. */
  int[] order();

  /** Returns the channel's buffer for an outgoing message of this run. */
  MemorySegment outgoing(int message);

  /** Returns where an incoming message was put that has arrived. */
  MemorySegment incoming(int message);

  /** Begins a run. */
  void begin();

  /**
   * Says where to put an incoming message of this run, instead of the channel's buffer.
   *
   * @param layout where the elements lie; null if they have no gaps
   */
  default void expect(int message, MemorySegment memory, @Nullable Layout layout) {
    throw new UnsupportedOperationException("this channel receives into its own buffers only");
  }

  /**
   * Hands a message over; its memory must be left alone until {@link #end}.
   *
   * @param memory the channel's buffer or, where the transport reaches it, any other
   * @param layout where the elements lie; null if they have no gaps
   * @param bytes the length of this message, at most what the wiring says
   */
  void send(int message, MemorySegment memory, @Nullable Layout layout, long bytes);

  /** Says that all messages of the run have been handed over. */
  void sent();

  /**
   * Waits for an incoming message.
   *
   * @return the number of one that has arrived and was not returned in this run; -1 if there is
   *     none left
   */
  int next();

  /** Returns the length of an incoming message that has arrived. */
  long received(int message);

  /** Says that an incoming message has been read; its buffer may be filled again. */
  default void release(int message) {}

  /** Ends a run: waits until outgoing memory is the caller's again. */
  void end();

  /**
   * Says to peers that a run has failed here, so that those who wait for its messages are told
   * rather than left waiting. Waits for none but those that {@linkplain DirectChannel#read read}
   * the arrays; nothing but this is called afterwards, not even {@link #close}. Where all messages
   * are one collective there is no way to tell.
   */
  default void fail() {}

  /** Returns the bytes of buffers, windows included. */
  long bufferBytes();

  /** Gives everything back. Collective where the transport's parts are. */
  @Override
  void close();
}
