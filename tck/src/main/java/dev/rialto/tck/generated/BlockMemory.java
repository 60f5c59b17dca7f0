package dev.rialto.tck.generated;

import dev.rialto.spi.data.DType;
import dev.rialto.tck.generated.Step.Form;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * One rank's buffers of a collective that moves blocks. Behind what is received there is some room
 * that must stay as it is; what has no elements is NULL, as a caller may give it.
 */
final class BlockMemory implements Call.Memory {
  private static final byte BLANK = 0x5A;
  private static final int ROOM = 2;
  private final DType type;
  private final Form form;
  private final List<Block> out;
  private final List<Block> in;
  private final boolean sentFromReceived;
  private final GuardedBuffers buffers = new GuardedBuffers();
  private final MemorySegment send;
  private final MemorySegment receive;

  /**
   * Makes the buffers.
   *
   * @param out the blocks that it sends
   * @param in the blocks that it must get
   * @param sentFromReceived whether the one buffer is for both
   */
  BlockMemory(
      DType type,
      Form form,
      List<Block> out,
      Placement sendAt,
      List<Block> in,
      Placement receiveAt,
      boolean sentFromReceived) {
    this.type = type;
    this.form = form;
    this.out = out;
    this.in = in;
    this.sentFromReceived = sentFromReceived;
    long sent = sentFromReceived ? 0 : type.bytes(Block.span(out));
    long received = type.bytes(Block.span(in));
    send =
        orNull(
            form == Form.PERSISTENT
                ? buffers.target(sendAt, sent)
                : buffers.source(sendAt, sent, this::write));
    receive = orNull(buffers.target(receiveAt, received == 0 ? 0 : received + type.bytes(ROOM)));
    renew(0);
  }

  private void write(MemorySegment to) {
    if (!sentFromReceived) {
      Block.write(out, type, to, 0);
    }
  }

  private static MemorySegment orNull(MemorySegment buffer) {
    return buffer.byteSize() == 0 ? MemorySegment.NULL : buffer;
  }

  MemorySegment send() {
    return send;
  }

  MemorySegment receive() {
    return receive;
  }

  long[] sendCounts() {
    return Block.counts(out);
  }

  long[] sendStarts() {
    return Block.displacements(out);
  }

  long[] receiveCounts() {
    return Block.counts(in);
  }

  long[] receiveStarts() {
    return Block.displacements(in);
  }

  /** Returns the elements of the first block that is sent; 0 if there is none. */
  long sent() {
    return out.isEmpty() ? 0 : out.getFirst().count();
  }

  /** Returns the elements of the first block that is received; 0 if there is none. */
  long received() {
    return in.isEmpty() ? 0 : in.getFirst().count();
  }

  @Override
  public void renew(int round) {
    receive.fill(BLANK);
    if (sentFromReceived) {
      Block.write(out, type, receive, round);
    } else if (form == Form.PERSISTENT) {
      Block.write(out, type, send, round);
    }
  }

  @Override
  public void check(int round) {
    MemorySegment expected = buffers.expected(receive.byteSize());
    Block.write(in, type, expected, round);
    RankMemory.check(expected, receive, "received in round " + round);
  }

  @Override
  public void close() {
    buffers.check("after it");
    buffers.close();
  }
}
