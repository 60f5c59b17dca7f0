package dev.rialto.spi.parts.messages;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reductions made of messages, all of them the same {@link #fold}: a rank that needs a result gets
 * the contributions and combines them itself, in rank order.
 *
 * <p>That is n messages to each rank where a tree needs log n, but every rank computes the same
 * bits from the same values, and an operator that throws does so on all ranks that use it, which
 * leaves none waiting.
 */
final class MessageReductions {
  private final MessageCollectives comm;
  private final PointToPoint messages;

  MessageReductions(MessageCollectives comm, PointToPoint messages) {
    this.comm = comm;
    this.messages = messages;
  }

  Request start(Collective.Reduction reduction) {
    return switch (reduction) {
      case Collective.Reduce it -> reduce(it);
      case Collective.AllReduce it -> allReduce(it);
      case Collective.Scan it -> scan(it);
      case Collective.Exscan it -> exscan(it);
      case Collective.ReduceScatter it -> reduceScatter(it);
    };
  }

  private Request reduce(Collective.Reduce it) {
    int root = it.root();
    Arguments.rank(root, messages.size(), "root");
    MemorySegment mine = MessageCollectives.toSend(it.send(), it.type(), it.count());
    int contributors = messages.rank() == root ? messages.size() : 0;
    return fold(
        to -> to == root ? mine : null, contributors, it.receive(), it.type(), it.count(), it.op());
  }

  private Request allReduce(Collective.AllReduce it) {
    MemorySegment mine = MessageCollectives.toSend(it.send(), it.type(), it.count());
    return fold(_ -> mine, messages.size(), it.receive(), it.type(), it.count(), it.op());
  }

  private Request scan(Collective.Scan it) {
    int me = messages.rank();
    MemorySegment mine = MessageCollectives.toSend(it.send(), it.type(), it.count());
    return fold(to -> to >= me ? mine : null, me + 1, it.receive(), it.type(), it.count(), it.op());
  }

  private Request exscan(Collective.Exscan it) {
    int me = messages.rank();
    MemorySegment mine = MessageCollectives.toSend(it.send(), it.type(), it.count());
    var _ = MessageCollectives.toReceive(it.receive(), it.type(), it.count());
    return fold(to -> to > me ? mine : null, me, it.receive(), it.type(), it.count(), it.op());
  }

  private Request reduceScatter(Collective.ReduceScatter it) {
    int size = messages.size();
    long[] counts = it.counts();
    var _ = Arguments.total(it.type(), counts, size);
    long[] starts = new long[size];
    for (int i = 1; i < size; i++) {
      starts[i] = starts[i - 1] + counts[i - 1];
    }
    comm.checkSent(it.send(), it.type(), counts, starts);
    return fold(
        to -> MessageCollectives.block(it.send(), it.type(), counts, starts, to),
        size,
        it.receive(),
        it.type(),
        counts[messages.rank()],
        it.op());
  }

  /**
   * Begins to send this rank's contributions and to combine those of the first {@code contributors}
   * ranks, one after the other. What is combined is kept in two places in turn, and goes to the
   * result when the operands, which may be the same memory, have been sent.
   *
   * @param outgoing what each rank gets of this one's elements; null for nothing
   * @param receive where the result goes, if there are contributors
   */
  private Request fold(
      IntFunction<@Nullable MemorySegment> outgoing,
      int contributors,
      MemorySegment receive,
      DType type,
      long count,
      ReduceOp op) {
    Arguments.reduction(op, type);
    MemorySegment result =
        contributors == 0 ? MemorySegment.NULL : MessageCollectives.toReceive(receive, type, count);
    long bytes = type.bytes(count);
    MemorySegment[] places = {
      MessageCollectives.room(messages, contributors < 1 ? 0 : bytes),
      MessageCollectives.room(messages, contributors < 2 ? 0 : bytes)
    };
    int tag = comm.nextTag();
    MessageExchange exchange = new MessageExchange(comm);
    for (int i = 0; i < contributors; i++) {
      int source = i;
      MemorySegment right = places[source & 1];
      MemorySegment left = places[(source + 1) & 1];
      exchange.receiveLater(
          () -> comm.receive(right, type, source, tag),
          source,
          bytes,
          () -> {
            if (source > 0 && count > 0) {
              ElementFold.combine(op, left.asReadOnly(), right, type, count);
            }
          });
    }
    if (contributors > 0) {
      exchange.last(() -> result.copyFrom(places[(contributors - 1) & 1]));
    }
    try {
      comm.send(exchange, comm.edges(outgoing), type, tag);
      return exchange;
    } catch (RuntimeException e) {
      throw exchange.broken(e);
    }
  }
}
