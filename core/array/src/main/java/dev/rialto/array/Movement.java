package dev.rialto.array;

import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.kernel.HostKernels;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Redistribute;
import dev.rialto.exchange.plan.Region;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Resource;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * Moves the elements of an array to another of any shape and distribution, by an exchange.
 *
 * <p>An exchange made here is used once. Elements in a halo's frame are packed first and unpacked
 * last.
 */
final class Movement {
  private Movement() {}

  static void move(OperationRunner run, Exchanger exchanger, View from, View to) {
    DType type = from.type();
    LocalPart source = from.part();
    LocalPart target = to.part();
    try (Exchange exchange = exchange(exchanger, from, to)) {
      MemorySegment packed = from.memory();
      if (!source.isDense()) {
        packed = run.allocate(type.bytes(source.count()));
        pack(type, source.region(), from.memory(), Region.contiguous(0, source.count()), packed);
      }
      MemorySegment received = to.memory();
      if (!target.isDense()) {
        // Of a shape that grows not all elements are received.
        received = run.allocate(type.bytes(target.count())).fill((byte) 0);
      }
      exchange.run(packed, received);
      if (!target.isDense()) {
        pack(type, Region.contiguous(0, target.count()), received, target.region(), to.memory());
      }
    }
  }

  /** Moves elements in the memory of the ranks' devices, which is lent to the exchange. */
  static void move(Exchanger exchanger, Held from, Held to) {
    ComputeClient client = from.space.client();
    try (Exchange exchange = exchange(exchanger, from.view(), to.view());
        Buffer source = from.packed();
        Buffer target = to.unpacked()) {
      try (Resource in = client.resource(source, false);
          Resource out = client.resource(target, true)) {
        exchange.run(in.segment(), out.segment());
      }
      to.unpack(target);
    }
  }

  private static Exchange exchange(Exchanger exchanger, View from, View to) {
    int rank = exchanger.communicator().rank();
    ExchangePlan plan =
        from.distribution().shape().equals(to.distribution().shape())
            ? Redistribute.plan(from.distribution(), to.distribution(), rank)
            : Redistribute.common(from.distribution(), to.distribution(), rank);
    return exchanger.exchange(plan, from.type());
  }

  private static void pack(
      DType type, Region from, MemorySegment source, Region to, MemorySegment target) {
    HostKernels.serial().move(type, from, to, false).run(source, target);
  }
}
