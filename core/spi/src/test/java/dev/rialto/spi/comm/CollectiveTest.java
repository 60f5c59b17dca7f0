package dev.rialto.spi.comm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class CollectiveTest {
  private static final MemorySegment NONE = MemorySegment.NULL;

  @Test
  void arraysAreTheCallersAgainOnceItIsMade() {
    long[] a = {1, 2};
    long[] b = {3, 4};
    long[] c = {5, 6};
    long[] d = {7, 8};
    var gather = new Collective.GatherV(NONE, 1, NONE, a, b, DType.I8, 0);
    var scatter = new Collective.ScatterV(NONE, a, b, NONE, 1, DType.I8, 0);
    var allGather = new Collective.AllGatherV(NONE, 1, NONE, a, b, DType.I8);
    var allToAll = new Collective.AllToAllV(NONE, a, b, NONE, c, d, DType.I8);
    var reduceScatter = new Collective.ReduceScatter(NONE, NONE, DType.I8, a, ReduceOp.SUM);
    for (long[] array : List.of(a, b, c, d)) {
      Arrays.fill(array, -1);
    }
    assertThat(List.of(gather.counts(), scatter.counts(), allGather.counts()))
        .allSatisfy(counts -> assertThat(counts).containsExactly(1, 2));
    assertThat(List.of(gather.displacements(), scatter.displacements(), allGather.displacements()))
        .allSatisfy(starts -> assertThat(starts).containsExactly(3, 4));
    assertThat(allToAll.sendCounts()).containsExactly(1, 2);
    assertThat(allToAll.sendDisplacements()).containsExactly(3, 4);
    assertThat(allToAll.receiveCounts()).containsExactly(5, 6);
    assertThat(allToAll.receiveDisplacements()).containsExactly(7, 8);
    assertThat(reduceScatter.counts()).containsExactly(1, 2);
  }
}
