package dev.rialto.array.run;

import dev.rialto.array.part.RankPart;
import dev.rialto.array.part.View;
import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Redistribute;
import dev.rialto.exchange.plan.Region;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Resource;
import dev.rialto.spi.copy.StridedCopy;
import java.lang.foreign.MemorySegment;

/**
 * Moves the elements of an array to another of any shape and distribution, by an exchange, which is
 * used once. On the host elements are read and written where they lie, within halos too.
 */
public final class Movement {
  private Movement() {}

  public static void move(OperationRunner run, Exchanger exchanger, View from, View to) {
    Region in = from.layout().region();
    MemorySegment source = from.memory();
    if (overlap(source, to.memory())) {
      // Views of one array: what is written may be what another rank has yet to read.
      Region together = Region.contiguous(0, in.count());
      MemorySegment copy = run.allocate(from.type().bytes(in.count()));
      StridedCopy.of(in.layout(from.type()), together.layout(from.type())).run(source, copy);
      in = together;
      source = copy;
    }
    try (Exchange exchange = exchange(exchanger, from, in, to, to.layout().region())) {
      exchange.run(source, to.memory());
    }
  }

  private static boolean overlap(MemorySegment a, MemorySegment b) {
    long apart = a.address() - b.address();
    return apart < b.byteSize() && -apart < a.byteSize();
  }

  /** Moves elements in the memory of the ranks' devices, which is lent to the exchange. */
  public static void move(Exchanger exchanger, RankPart from, RankPart to) {
    ComputeClient client = from.space.client();
    Region sent = Region.contiguous(0, from.layout.count());
    Region received = Region.contiguous(0, to.layout.count());
    try (Exchange exchange = exchange(exchanger, from.view(), sent, to.view(), received);
        Buffer source = from.packed();
        Buffer target = to.unpacked()) {
      try (Resource in = client.resource(source, false);
          Resource out = client.resource(target, true)) {
        exchange.run(in.segment(), out.segment());
      }
      to.unpack(target);
    }
  }

  private static Exchange exchange(Exchanger exchanger, View from, Region in, View to, Region out) {
    int rank = exchanger.communicator().rank();
    ExchangePlan plan = Redistribute.common(from.distribution(), in, to.distribution(), out, rank);
    return exchanger.exchange(plan, from.type());
  }
}
