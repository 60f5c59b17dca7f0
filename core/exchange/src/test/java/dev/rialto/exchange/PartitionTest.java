package dev.rialto.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rialto.exchange.plan.Partition;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An axis dealt to parts: who has an index, where, and which one that is. */
class PartitionTest {
  @Test
  void localIndicesLeadBackToTheirIndex() {
    for (Partition dealt :
        List.of(
            Partition.block(23, 4),
            Partition.blocks(5, 0, 9),
            Partition.cyclic(23, 4),
            Partition.blockCyclic(23, 4, 3),
            Partition.blockCyclic(5, 4, 3),
            Partition.blockCyclic(5, 4, Long.MAX_VALUE),
            Partition.blockCyclic(0, 2, Long.MAX_VALUE))) {
      long[] next = new long[dealt.parts()];
      for (long index = 0; index < dealt.extent(); index++) {
        int part = dealt.part(index);
        assertThat(dealt.local(index)).isEqualTo(next[part]);
        assertThat(dealt.index(part, next[part]++)).as("%s", dealt).isEqualTo(index);
      }
      for (int part = 0; part < dealt.parts(); part++) {
        assertThat(dealt.count(part)).isEqualTo(next[part]);
      }
    }
  }

  @Test
  void moreBlocksThanAnArrayHoldsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Partition.cyclic(1L << 40, 3))
        .withMessageContaining("in 1099511627776 blocks; the most is");
  }
}
