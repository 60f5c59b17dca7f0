package dev.rialto.sparse.device;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The layout of rows in slices. */
class RowSlicesTest {
  @Test
  void slicesAreStoredEntryByEntryAndPadded() {
    // 33 rows of one entry each but for row 1, which has three: two slices, of width 3 and 1.
    int[] starts = new int[34];
    for (int row = 0; row < 33; row++) {
      starts[row + 1] = starts[row] + (row == 1 ? 3 : 1);
    }
    int entries = starts[33];
    int[] columns = new int[entries];
    double[] values = new double[entries];
    for (int k = 0; k < entries; k++) {
      columns[k] = k;
      values[k] = 10 + k;
    }
    try (Arena arena = Arena.ofConfined()) {
      RowSlices slices =
          RowSlices.of(
              32,
              DType.F64,
              MemorySegment.ofArray(starts),
              MemorySegment.ofArray(columns),
              MemorySegment.ofArray(values),
              arena);
      assertThat(slices.starts().toArray(JAVA_LONG)).containsExactly(0, 96, 128);
      int[] places = slices.columns().toArray(JAVA_INT);
      assertThat(List.of(places[0], places[1], places[33], places[65])).containsExactly(0, 1, 2, 3);
      assertThat(places[32]).as("padding").isEqualTo(-1);
      assertThat(places[96]).isEqualTo(entries - 1);
      assertThat(slices.values().getAtIndex(JAVA_DOUBLE, 65)).isEqualTo(13);
      assertThat(slices.values().getAtIndex(JAVA_DOUBLE, 32)).isZero();
    }
  }
}
