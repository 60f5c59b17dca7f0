package dev.rialto.array;

import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.kernel.HostKernels;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Redistribute;
import dev.rialto.exchange.plan.Region;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Moves the elements of an array to another of any shape and distribution, by an exchange.
 *
 * <p>An exchange made here is used once, so its exchanger goes with it. Elements in a halo's frame
 * are packed first and unpacked last.
 */
final class Movement {
  private Movement() {}

  static void move(
      Communicator comm,
      DType type,
      Distribution from,
      LocalPart fromPart,
      MemorySegment source,
      Distribution to,
      LocalPart toPart,
      MemorySegment target) {
    ExchangePlan plan =
        from.shape().equals(to.shape())
            ? Redistribute.plan(from, to, comm.rank())
            : Redistribute.common(from, to, comm.rank());
    try (Arena arena = Arena.ofShared();
        Exchanger exchanger = Exchanger.on(comm)) {
      MemorySegment packed = source;
      if (!fromPart.isDense()) {
        packed = arena.allocate(type.bytes(fromPart.count()), 64);
        pack(type, fromPart.region(), source, Region.contiguous(0, fromPart.count()), packed);
      }
      MemorySegment received =
          toPart.isDense() ? target : arena.allocate(type.bytes(toPart.count()), 64);
      exchanger.exchange(plan, type).run(packed, received);
      if (!toPart.isDense()) {
        pack(type, Region.contiguous(0, toPart.count()), received, toPart.region(), target);
      }
    }
  }

  private static void pack(
      DType type, Region from, MemorySegment source, Region to, MemorySegment target) {
    HostKernels.serial().move(type, from, to, false).run(source, target);
  }
}
