package dev.rialto.spi.comm;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rialto.spi.comm.Collective.AllGather;
import dev.rialto.spi.comm.Collective.AllGatherV;
import dev.rialto.spi.comm.Collective.AllReduce;
import dev.rialto.spi.comm.Collective.AllToAll;
import dev.rialto.spi.comm.Collective.AllToAllV;
import dev.rialto.spi.comm.Collective.Exscan;
import dev.rialto.spi.comm.Collective.Gather;
import dev.rialto.spi.comm.Collective.GatherV;
import dev.rialto.spi.comm.Collective.Reduce;
import dev.rialto.spi.comm.Collective.ReduceScatter;
import dev.rialto.spi.comm.Collective.Scan;
import dev.rialto.spi.comm.Collective.Scatter;
import dev.rialto.spi.comm.Collective.ScatterV;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Every form of a collective, on rank 1 of 3, with two elements a block. */
class BufferOverlapTest {
  private static final DType TYPE = DType.I64;
  private static final long[] COUNTS = {2, 2, 2};
  private static final long[] PLACES = {0, 2, 4};

  private static final List<BiFunction<MemorySegment, MemorySegment, Collective>> FORMS =
      List.of(
          (send, receive) -> new Gather(send, receive, TYPE, 2, 1),
          (send, receive) -> new GatherV(send, 2, receive, COUNTS, PLACES, TYPE, 1),
          (send, receive) -> new Scatter(send, receive, TYPE, 2, 1),
          (send, receive) -> new ScatterV(send, COUNTS, PLACES, receive, 2, TYPE, 1),
          (send, receive) -> new AllGather(send, receive, TYPE, 2),
          (send, receive) -> new AllGatherV(send, 2, receive, COUNTS, PLACES, TYPE),
          (send, receive) -> new AllToAll(send, receive, TYPE, 2),
          (send, receive) -> new AllToAllV(send, COUNTS, PLACES, receive, COUNTS, PLACES, TYPE),
          (send, receive) -> new ReduceScatter(send, receive, TYPE, COUNTS, ReduceOp.SUM));

  private static final List<BiFunction<MemorySegment, MemorySegment, Collective>> IN_PLACE =
      List.of(
          (send, receive) -> new Reduce(send, receive, TYPE, 6, ReduceOp.SUM, 1),
          (send, receive) -> new AllReduce(send, receive, TYPE, 6, ReduceOp.SUM),
          (send, receive) -> new Scan(send, receive, TYPE, 6, ReduceOp.SUM),
          (send, receive) -> new Exscan(send, receive, TYPE, 6, ReduceOp.SUM));

  private static void check(Collective collective, boolean right) {
    if (right) {
      assertThatCode(() -> BufferOverlap.refuse(collective, 1, 3))
          .as("%s", collective)
          .doesNotThrowAnyException();
    } else {
      assertThatIllegalArgumentException()
          .as("%s", collective)
          .isThrownBy(() -> BufferOverlap.refuse(collective, 1, 3))
          .withMessageContaining("give separate memory");
    }
  }

  @Test
  void everyFormRefusesOverlapAndTakesNeighbours() {
    try (Arena arena = Arena.ofConfined()) {
      for (MemorySegment all :
          List.of(arena.allocate(96, 8), MemorySegment.ofArray(new long[12]))) {
        MemorySegment front = all.asSlice(0, 48);
        MemorySegment back = all.asSlice(48);
        for (var form : FORMS) {
          check(form.apply(front, back), true);
          check(form.apply(back, front), true);
          check(form.apply(all, all), false);
          check(form.apply(all.asSlice(8), all), false);
          check(form.apply(all, all.asSlice(8)), false);
          check(form.apply(front, MemorySegment.ofArray(new long[6])), true);
        }
        for (var form : IN_PLACE) {
          check(form.apply(front, back), true);
          check(form.apply(all, all), true);
          check(form.apply(all.asSlice(8), all), false);
          check(form.apply(all, all.asSlice(40)), false);
        }
      }
    }
  }

  @Test
  void whatOnlyTheRootUsesIsNoMatterElsewhere() {
    MemorySegment all = MemorySegment.ofArray(new long[12]);
    check(new Gather(all, all, TYPE, 2, 0), true);
    check(new ScatterV(all, COUNTS, PLACES, all, 2, TYPE, 2), true);
    check(new Reduce(all.asSlice(8), all, TYPE, 6, ReduceOp.SUM, 0), true);
  }

  @Test
  void blocksMayLieBetweenOneAnother() {
    MemorySegment all = MemorySegment.ofArray(new long[12]);
    long[] even = {0, 4, 8};
    long[] odd = {2, 6, 10};
    check(new AllToAllV(all, COUNTS, even, all, COUNTS, odd, TYPE), true);
    check(new AllToAllV(all, COUNTS, even, all, COUNTS, new long[] {2, 6, 9}, TYPE), false);
    check(new AllToAllV(all, COUNTS, even, all, new long[3], even, TYPE), true);
  }

  @Test
  void aTopologyHasItsOwnNumbersOfBlocks() {
    MemorySegment all = MemorySegment.ofArray(new long[12]);
    Collective.AlongEdges toOne = new AllToAll(all, all.asSlice(16), TYPE, 2);
    assertThatCode(() -> BufferOverlap.refuse(toOne, 2, 1)).doesNotThrowAnyException();
    assertThatIllegalArgumentException().isThrownBy(() -> BufferOverlap.refuse(toOne, 1, 2));
  }
}
