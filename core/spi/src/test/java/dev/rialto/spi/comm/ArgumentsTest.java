package dev.rialto.spi.comm;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
  private final MemorySegment ten = Arena.ofAuto().allocate(80);

  @Test
  void messagesNameTheValueAndTheLimit() {
    assertThatThrownBy(() -> Arguments.rank(4, 4, "target"))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("target 4 does not exist; ranks here are 0 to 3");
    assertThatThrownBy(() -> Arguments.tag(-2, 99)).hasMessageContaining("tag -2");
    assertThatThrownBy(() -> Arguments.buffer(ten, DType.F64, 11, "send buffer"))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("send buffer holds 80 bytes, but 11 F64 need 88");
    assertThatThrownBy(() -> Arguments.buffer(ten, DType.F64, -1, "send buffer"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("count -1");
    assertThatThrownBy(() -> Arguments.writable(ten.asReadOnly(), "receive buffer"))
        .hasMessageContaining("read-only");
    assertThatThrownBy(() -> Arguments.distinctRanks(new int[] {0, 2, 0}, 3, "subgroup"))
        .hasMessageContaining("rank 0 twice");
  }

  @Test
  void deviceMemoryIsToldApartFromASmallBuffer() {
    assertThatThrownBy(
            () -> Arguments.buffer(MemorySegment.ofAddress(4096), DType.F64, 1, "send buffer"))
        .hasMessageContaining("copy it to the host");
  }

  @Test
  void blocksMustLieInTheBuffer() {
    assertThatCode(
            () ->
                Arguments.blocks(
                    ten, DType.F64, new long[] {4, 0}, new long[] {6, 1000}, 2, "send"))
        .doesNotThrowAnyException();
    assertThatThrownBy(
            () ->
                Arguments.blocks(ten, DType.F64, new long[] {4, 1}, new long[] {6, 10}, 2, "send"))
        .hasMessageContaining("block 1 is 1 F64 from element 10");
    assertThatThrownBy(
            () -> Arguments.blocks(ten, DType.F64, new long[] {4}, new long[] {6, 10}, 2, "send"))
        .hasMessageContaining("1 send counts for 2 parties");
    assertThatThrownBy(
            () ->
                Arguments.blocks(
                    ten, DType.F64, new long[] {4}, new long[] {Long.MAX_VALUE / 8}, 1, "send"))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void operatorsMustFitTheType() {
    assertThatThrownBy(() -> Arguments.reduction(ReduceOp.MIN, DType.C64))
        .hasMessageContaining("MIN does not apply to C64");
    assertThatThrownBy(() -> Arguments.reduction(ReduceOp.BIT_AND, DType.F32))
        .hasMessageContaining("BIT_AND");
    assertThatThrownBy(() -> Arguments.reduction(ReduceOp.REPLACE, DType.F32))
        .hasMessageContaining("only for windows");
  }
}
