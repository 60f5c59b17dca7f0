package dev.rialto.cpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HostTransferTest {
  private static final List<DType> TYPES = List.of(DType.values());

  private final HostTransfer transfer = new HostTransfer();

  @Test
  void overlappingBytesAreCopiedAsIfThroughAThirdPlace() {
    byte[] bytes = {0, 1, 2, 3, 4, 5, 6, 7};
    MemorySegment segment = MemorySegment.ofArray(bytes);
    transfer.copy(segment, segment.asSlice(2), 6);
    assertThat(bytes).containsExactly(0, 1, 0, 1, 2, 3, 4, 5);
    transfer.copy(segment.asSlice(2), segment, 6);
    assertThat(bytes).containsExactly(0, 1, 2, 3, 4, 5, 4, 5);
  }

  @Test
  void wrongByteCountsAreRefusedBeforeAnythingIsCopied() {
    MemorySegment eight = MemorySegment.ofArray(new byte[8]);
    MemorySegment nine = MemorySegment.ofArray(new byte[9]).fill((byte) 1);
    assertThatThrownBy(() -> transfer.copy(nine, eight, 9))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("target holds 8 bytes");
    assertThatThrownBy(() -> transfer.copy(eight, nine, 9))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("source holds 8 bytes");
    assertThatThrownBy(() -> transfer.copy(eight, nine, -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> transfer.copy(eight, nine.asReadOnly(), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("read-only");
    transfer.copy(eight, nine, 0);
    assertThat(eight.toArray(JAVA_BYTE)).containsOnly(0);
    assertThat(nine.toArray(JAVA_BYTE)).containsOnly(1);
  }

  /** Memory of source and target; heap and native memory are copied by different code. */
  enum Place {
    NATIVE,
    HEAP,
    MIXED
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void anyLayoutIsCopiedToAnyOtherAsByALoopOverElements(Place place) {
    long seed = 31_337;
    Random random = new Random(seed);
    try (Arena arena = Arena.ofConfined()) {
      for (int i = 0; i < 1000; i++) {
        DType type = TYPES.get(random.nextInt(TYPES.size()));
        long[] extents = extents(random);
        long count = Arrays.stream(extents).reduce(1, (a, b) -> a * b);
        Layout from = layout(random, type, extents, count, true);
        Layout to = layout(random, type, extents, count, false);
        MemorySegment source = segment(arena, from.span(), place == Place.HEAP);
        MemorySegment target = segment(arena, to.span(), place != Place.NATIVE);
        byte[] noise = new byte[(int) source.byteSize()];
        random.nextBytes(noise);
        source.copyFrom(MemorySegment.ofArray(noise));
        byte[] expected = target.fill((byte) 0x77).toArray(JAVA_BYTE);
        copyByElements(noise, from, expected, to);

        transfer.copy(source, from, target, to);

        assertThat(target.toArray(JAVA_BYTE))
            .as("%s to %s, seed %d, round %d", from, to, seed, i)
            .isEqualTo(expected);
      }
    }
  }

  private static MemorySegment segment(Arena arena, long bytes, boolean heap) {
    // Three bytes in front: elements are not aligned.
    return (heap ? MemorySegment.ofArray(new byte[(int) bytes + 3]) : arena.allocate(bytes + 3))
        .asSlice(3);
  }

  private static long[] extents(Random random) {
    long[] extents = new long[random.nextInt(4)];
    Arrays.setAll(extents, axis -> random.nextInt(8) == 0 ? 0 : random.nextInt(1, 21));
    if (extents.length > 0 && random.nextInt(5) == 0) {
      extents[extents.length - 1] = random.nextInt(200);
    }
    return extents;
  }

  /** A random layout of {@code count} elements: a box of that shape or another, or a list. */
  private static Layout layout(
      Random random, DType type, long[] extents, long count, boolean mayRepeat) {
    return switch (random.nextInt(6)) {
      case 0 -> Layout.contiguous(type, count);
      case 1 -> Layout.indexed(type, places(random, count, 1, mayRepeat), 1);
      case 2 -> {
        int block = count % 3 == 0 ? 3 : 1;
        yield Layout.indexed(type, places(random, count / block, block, mayRepeat), block);
      }
      case 3 -> box(random, type, new long[] {count});
      default -> box(random, type, extents);
    };
  }

  private static long[] places(Random random, long count, int block, boolean mayRepeat) {
    List<Long> places = new ArrayList<>();
    for (long place = 0; places.size() < count; place++) {
      if (random.nextInt(3) > 0) {
        places.add(place * block + (mayRepeat ? random.nextInt(2) : 0));
      }
    }
    if (random.nextBoolean()) {
      Collections.shuffle(places, random);
    }
    return places.stream().mapToLong(Long::longValue).toArray();
  }

  /** A box with its axes in any order in memory, gaps between them, some running backwards. */
  private static Layout box(Random random, DType type, long[] extents) {
    List<Integer> order = new ArrayList<>();
    for (int axis = extents.length - 1; axis >= 0; axis--) {
      order.add(axis);
    }
    if (random.nextBoolean()) {
      Collections.shuffle(order, random);
    }
    long[] strides = new long[extents.length];
    long stride = random.nextInt(4) == 0 ? 2 : 1;
    long offset = random.nextInt(3);
    for (int axis : order) {
      strides[axis] = stride;
      stride = stride * Math.max(extents[axis], 1) + (random.nextBoolean() ? 0 : random.nextInt(3));
      if (random.nextInt(4) == 0) {
        offset += Math.max(extents[axis] - 1, 0) * strides[axis];
        strides[axis] = -strides[axis];
      }
    }
    return Layout.strided(type, Shape.of(extents), strides, offset);
  }

  private static void copyByElements(byte[] source, Layout from, byte[] target, Layout to) {
    int size = from.type().size();
    List<Long> reads = elements(from);
    List<Long> writes = elements(to);
    for (int i = 0; i < reads.size(); i++) {
      System.arraycopy(source, reads.get(i).intValue(), target, writes.get(i).intValue(), size);
    }
  }

  /** Offsets of all elements in order; tests of the SPI compare runs with strides and indices. */
  private static List<Long> elements(Layout layout) {
    List<Long> offsets = new ArrayList<>();
    int size = layout.type().size();
    layout.forEachRun(
        (offset, bytes) -> {
          for (long at = offset; at < offset + bytes; at += size) {
            offsets.add(at);
          }
        });
    return offsets;
  }

  @Test
  void aLargeTransposeIsRight() {
    int rows = 500;
    int columns = 301;
    long[] matrix = new long[rows * columns];
    Arrays.setAll(matrix, i -> i);
    long[] transposed = new long[rows * columns];
    Arrays.setAll(transposed, i -> (long) (i % rows) * columns + i / rows);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocateFrom(JAVA_LONG, matrix);
      MemorySegment target = arena.allocate(source.byteSize(), 8);
      transfer.copy(
          source,
          Layout.strided(DType.I64, Shape.of(columns, rows), new long[] {1, columns}, 0),
          target,
          Layout.contiguous(DType.I64, matrix.length));
      assertThat(target.toArray(JAVA_LONG)).isEqualTo(transposed);
    }
  }

  @Test
  void layoutsThatDoNotFitAreRefusedBeforeAnythingIsCopied() {
    MemorySegment memory = MemorySegment.ofArray(new double[10]);
    MemorySegment other = MemorySegment.ofArray(new double[10]);
    Layout ten = Layout.contiguous(DType.F64, 10);
    assertThatThrownBy(() -> transfer.copy(memory, ten, other, Layout.contiguous(DType.I64, 10)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("F64")
        .hasMessageContaining("I64");
    assertThatThrownBy(() -> transfer.copy(memory, ten, other, Layout.contiguous(DType.F64, 9)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("10 F64")
        .hasMessageContaining("9 F64");
    Layout apart = Layout.strided(DType.F64, Shape.of(10), new long[] {2}, 0);
    assertThatThrownBy(() -> transfer.copy(memory, ten, other, apart))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("target holds 80 bytes");
    assertThatThrownBy(() -> transfer.copy(memory, apart, other, ten))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("source holds 80 bytes");
  }

  @Test
  void elementsThatOverlapAreRefused() {
    MemorySegment memory = MemorySegment.ofArray(new int[100]);
    Layout tens = Layout.contiguous(DType.I32, 10);
    assertThatThrownBy(() -> transfer.copy(memory, tens, memory, tens))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("overlap");
    assertThatThrownBy(() -> transfer.copy(memory.asReadOnly(), tens, memory.asSlice(36), tens))
        .isInstanceOf(IllegalArgumentException.class);
    transfer.copy(memory, tens, memory.asSlice(40), tens);
  }

  @Test
  void layoutsThatInterleaveDoNotOverlap() {
    int[] values = new int[12];
    Arrays.setAll(values, i -> i);
    MemorySegment memory = MemorySegment.ofArray(values);
    Layout even = Layout.strided(DType.I32, Shape.of(6), new long[] {2}, 0);
    Layout odd = Layout.strided(DType.I32, Shape.of(6), new long[] {2}, 1);
    transfer.copy(memory, even, memory, odd);
    assertThat(values).containsExactly(0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10);
  }

  @Test
  void overlapIsFoundExactly() {
    long seed = 8;
    Random random = new Random(seed);
    for (int i = 0; i < 1000; i++) {
      long[] extents = extents(random);
      long count = Arrays.stream(extents).reduce(1, (a, b) -> a * b);
      Layout from = layout(random, DType.I32, extents, count, true);
      Layout to = layout(random, DType.I32, extents, count, false);
      long shift = 4L * random.nextInt(1 + (int) (from.span() + to.span()) / 4) + random.nextInt(4);
      MemorySegment memory =
          MemorySegment.ofArray(new byte[(int) (from.span() + to.span() + shift)]);
      boolean[] named = new boolean[(int) memory.byteSize()];
      from.forEachRun(
          (offset, bytes) -> Arrays.fill(named, (int) offset, (int) (offset + bytes), true));
      boolean[] overlaps = {false};
      to.forEachRun(
          (offset, bytes) -> {
            for (long at = shift + offset; at < shift + offset + bytes; at++) {
              overlaps[0] |= named[(int) at];
            }
          });
      assertThat(isRefused(memory, from, memory.asSlice(shift), to))
          .as("%s and %s shifted by %d, seed %d, round %d", from, to, shift, seed, i)
          .isEqualTo(overlaps[0]);
    }
  }

  private static boolean isRefused(
      MemorySegment source, Layout from, MemorySegment target, Layout to) {
    try {
      StridedCopy.requireApart(source, from, target, to);
      return false;
    } catch (IllegalArgumentException e) {
      return true;
    }
  }

  @Test
  void memoryThatIsClosedOrConfinedElsewhereIsRefused() throws InterruptedException {
    MemorySegment heap = MemorySegment.ofArray(new double[10]);
    Layout apart = Layout.strided(DType.F64, Shape.of(5), new long[] {2}, 0);
    Layout five = Layout.contiguous(DType.F64, 5);
    MemorySegment closed;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment confined = arena.allocate(80, 8);
      closed = confined;
      List<Throwable> thrown = new ArrayList<>();
      Thread other =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (MemorySegment target : List.of(heap, Arena.ofAuto().allocate(80, 8))) {
                      try {
                        transfer.copy(confined, apart, target, five);
                      } catch (WrongThreadException e) {
                        thrown.add(e);
                      }
                    }
                  });
      other.join();
      assertThat(thrown).hasSize(2);
    }
    for (MemorySegment target : List.of(heap, Arena.ofAuto().allocate(80, 8))) {
      assertThatThrownBy(() -> transfer.copy(closed, apart, target, five))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void asynchronousCopiesKeepTheOrderOfTheStream() {
    try (HostStream stream = new HostStream()) {
      MemorySegment a = MemorySegment.ofArray(new long[] {1, 2, 3, 4});
      MemorySegment b = MemorySegment.ofArray(new long[4]);
      MemorySegment c = MemorySegment.ofArray(new long[2]);
      transfer.copyAsync(a, b, 32, stream);
      transfer.copyAsync(
          b,
          Layout.strided(DType.I64, Shape.of(2), new long[] {2}, 1),
          c,
          Layout.contiguous(DType.I64, 2),
          stream);
      stream.await();
      assertThat(c.toArray(JAVA_LONG)).containsExactly(2, 4);

      assertThatThrownBy(() -> transfer.copyAsync(a, b, 33, stream))
          .isInstanceOf(IndexOutOfBoundsException.class);
      Stream foreign =
          (Stream)
              Proxy.newProxyInstance(
                  Stream.class.getClassLoader(),
                  new Class<?>[] {Stream.class},
                  (proxy, method, arguments) -> "elsewhere");
      assertThatThrownBy(() -> transfer.copyAsync(a, b, 8, foreign))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("elsewhere");
    }
  }

  @Test
  void itCopiesBetweenAllMemoryTheHostCanAccess() {
    HostMemorySpace memory = new HostMemorySpace(100, false, leak -> {});
    assertThat(transfer.supports(memory, memory)).isTrue();
  }
}
