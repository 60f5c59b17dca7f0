package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemoryTransfer;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.Tck;
import dev.rialto.tck.reference.Place;
import dev.rialto.tck.reference.Together;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;

/**
 * Requirements on a {@link MemoryTransfer}: copy what it is told and nothing else, between all
 * pairs of the backend's spaces and the host, by length and by layout, at once and on a stream.
 */
@Requires(Capability.TRANSFER)
public final class MemoryTransferTck extends Tck {
  /** Bytes before and after what is copied to, which must stay as they are. */
  private static final int GUARD = 32;

  private interface PairCheck {
    void check(Place source, Place target) throws Exception;
  }

  private void eachPair(PairCheck check) throws Exception {
    for (Place source : Place.all(backend())) {
      for (Place target : Place.all(backend())) {
        try {
          check.check(source, target);
        } catch (AssertionError e) {
          throw new AssertionError(source + " to " + target + ": " + e.getMessage(), e);
        }
      }
    }
  }

  private byte[] bytes(Random random, int count) {
    byte[] content = new byte[count];
    random.nextBytes(content);
    return content;
  }

  @Requirement(
      id = "XFER-001",
      text = "Copies between all of the backend's own spaces are supported.",
      capability = Capability.MEMORY)
  void ownSpacesAreSupported() {
    for (MemorySpace source : spaces()) {
      for (MemorySpace target : spaces()) {
        assertTrue(
            device().transfer().supports(source, target),
            () -> source.name() + " to " + target.name());
      }
    }
  }

  @Requirement(id = "XFER-002", text = "A copy moves exactly the bytes it is told, to their place.")
  void copyMovesExactlyItsBytes() throws Exception {
    Random random = random();
    eachPair(
        (from, to) -> {
          for (int count : new int[] {1, 7, 8, 63, 64, 65, 4097, (1 << 20) + 1}) {
            byte[] content = bytes(random, count + 5 + GUARD);
            byte[] expected = bytes(random, count + 2 * GUARD);
            try (Place.Block source = from.block(content);
                Place.Block target = to.block(expected)) {
              device().transfer().copy(at(source.segment(), 5), at(target.segment(), GUARD), count);
              System.arraycopy(content, 5, expected, GUARD, count);
              assertArrayEquals(expected, target.read(), () -> count + " bytes: the target");
              assertArrayEquals(content, source.read(), () -> count + " bytes: the source");
            }
          }
        });
  }

  /** Returns the rest of the memory from {@code offset}, whether the host can access it or not. */
  private static MemorySegment at(MemorySegment segment, long offset) {
    return segment.byteSize() == 0
        ? MemorySegment.ofAddress(segment.address() + offset)
        : segment.asSlice(offset);
  }

  @Requirement(id = "XFER-003", text = "Overlapping memory is copied as if through a third place.")
  void overlappingCopies() throws Exception {
    Random random = random();
    for (Place place : Place.all(backend())) {
      for (int shift : new int[] {1, 3, 8, 100, 5000}) {
        for (boolean up : new boolean[] {true, false}) {
          byte[] expected = bytes(random, 10_000 + shift);
          try (Place.Block block = place.block(expected)) {
            int source = up ? 0 : shift;
            int target = up ? shift : 0;
            device()
                .transfer()
                .copy(at(block.segment(), source), at(block.segment(), target), 10_000);
            System.arraycopy(expected, source, expected, target, 10_000);
            assertArrayEquals(
                expected,
                block.read(),
                () -> place + ", " + shift + " bytes " + (up ? "up" : "down"));
          }
        }
      }
    }
  }

  @Requirement(
      id = "XFER-004",
      text = "Copying a negative number of bytes throws IllegalArgumentException.")
  void negativeBytesAreRefused() throws Exception {
    eachPair(
        (from, to) -> {
          try (Place.Block source = from.block(new byte[8]);
              Place.Block target = to.block(new byte[8])) {
            MemoryTransfer transfer = device().transfer();
            assertThrows(
                IllegalArgumentException.class,
                () -> transfer.copy(source.segment(), target.segment(), -1));
          }
        });
  }

  @Requirement(
      id = "XFER-005",
      text =
          "A copy that exceeds a segment the host can access throws IndexOutOfBoundsException;"
              + " nothing is copied then.")
  void copiesBeyondASegmentAreRefused() throws Exception {
    eachPair(
        (from, to) -> {
          byte[] zeros = new byte[64];
          try (Place.Block source = from.block(bytes(random(), 64));
              Place.Block target = to.block(zeros)) {
            MemoryTransfer transfer = device().transfer();
            for (long[] sizes : new long[][] {{63, 64}, {64, 63}, {0, 64}}) {
              if (source.segment().byteSize() > 0 && target.segment().byteSize() > 0) {
                MemorySegment in = source.segment().asSlice(0, sizes[0]);
                MemorySegment out = target.segment().asSlice(0, sizes[1]);
                assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> transfer.copy(in, out, 64),
                    () -> "64 bytes from " + sizes[0] + " to " + sizes[1]);
              }
            }
            assertArrayEquals(zeros, target.read());
          }
        });
  }

  @Requirement(
      id = "XFER-006",
      text = "Copies of zero bytes do nothing, but their arguments are checked all the same.")
  void emptyCopiesAreChecked() throws Exception {
    eachPair(
        (from, to) -> {
          byte[] expected = bytes(random(), 8);
          try (Place.Block source = from.block(new byte[8]);
              Place.Block target = to.block(expected)) {
            MemoryTransfer transfer = device().transfer();
            transfer.copy(source.segment(), target.segment(), 0);
            transfer.copy(
                source.segment(),
                Layout.contiguous(DType.I8, 0),
                target.segment(),
                Layout.contiguous(DType.I8, 0));
            assertArrayEquals(expected, target.read());
            assertThrows(
                IllegalArgumentException.class,
                () ->
                    transfer.copy(
                        source.segment(),
                        Layout.contiguous(DType.I8, 0),
                        target.segment(),
                        Layout.contiguous(DType.F64, 0)));
          }
        });
  }

  @Requirement(
      id = "XFER-007",
      text =
          "A copy by layouts moves element i of one to element i of the other, whatever their"
              + " strides, and touches nothing else.")
  void layoutsAreCopiedElementByElement() throws Exception {
    Random random = random();
    eachPair(
        (from, to) -> {
          for (DType type : DType.values()) {
            for (int i = 0; i < 12; i++) {
              long[] box = {1 + random.nextInt(4), 1 + random.nextInt(5), 1 + random.nextInt(6)};
              Layout in = layout(type, box, random);
              Layout out = layout(type, box, random);
              byte[] content = bytes(random, Math.toIntExact(in.span()) + GUARD);
              byte[] expected = bytes(random, Math.toIntExact(out.span()) + GUARD);
              try (Place.Block source = from.block(content);
                  Place.Block target = to.block(expected)) {
                device().transfer().copy(source.segment(), in, target.segment(), out);
                reference(content, in, expected, out);
                assertArrayEquals(expected, target.read(), () -> in + " to " + out);
                assertArrayEquals(content, source.read(), () -> in + " to " + out);
              }
            }
          }
        });
  }

  /** Makes one of the kinds of layout with as many elements as {@code box}. */
  private static Layout layout(DType type, long[] box, Random random) {
    Shape shape = Shape.of(box);
    long count = shape.count();
    return switch (random.nextInt(5)) {
      case 0 -> Layout.contiguous(type, count);
      case 1 -> Layout.pitched(type, shape, box[2] + random.nextInt(4));
      // A transposed view: the first axis varies fastest in memory.
      case 2 -> Layout.strided(type, shape, new long[] {1, box[0], box[0] * box[1]}, 3);
      // Backwards, from an offset.
      case 3 ->
          Layout.strided(type, shape, new long[] {-box[1] * box[2], -box[2], -1}, count - 1 + 2);
      default -> {
        long[] places = LongStream.range(0, 2 * count).toArray();
        for (int i = places.length - 1; i > 0; i--) {
          int other = random.nextInt(i + 1);
          long place = places[i];
          places[i] = places[other];
          places[other] = place;
        }
        yield Layout.indexed(type, Arrays.copyOf(places, (int) count), 1);
      }
    };
  }

  private static void reference(byte[] source, Layout from, byte[] target, Layout to) {
    byte[] packed = new byte[Math.toIntExact(from.bytes())];
    int[] at = {0};
    from.forEachRun(
        (offset, bytes) -> {
          System.arraycopy(source, (int) offset, packed, at[0], (int) bytes);
          at[0] += (int) bytes;
        });
    at[0] = 0;
    to.forEachRun(
        (offset, bytes) -> {
          System.arraycopy(packed, at[0], target, (int) offset, (int) bytes);
          at[0] += (int) bytes;
        });
  }

  @Requirement(
      id = "XFER-008",
      text = "Layouts that differ in type or count are refused with IllegalArgumentException.")
  void differingLayoutsAreRefused() throws Exception {
    eachPair(
        (from, to) -> {
          try (Place.Block source = from.block(new byte[64]);
              Place.Block target = to.block(new byte[64])) {
            Layout four = Layout.contiguous(DType.F32, 4);
            for (Layout other :
                new Layout[] {Layout.contiguous(DType.I32, 4), Layout.contiguous(DType.F32, 5)}) {
              MemoryTransfer transfer = device().transfer();
              assertThrows(
                  IllegalArgumentException.class,
                  () -> transfer.copy(source.segment(), four, target.segment(), other));
            }
          }
        });
  }

  @Requirement(
      id = "XFER-009",
      text =
          "Layouts whose elements overlap are refused with IllegalArgumentException; those that"
              + " only interleave are copied.")
  void overlappingElementsAreRefused() throws Exception {
    Layout even = Layout.strided(DType.I32, Shape.of(8), new long[] {2}, 0);
    Layout odd = Layout.strided(DType.I32, Shape.of(8), new long[] {2}, 1);
    Layout first = Layout.contiguous(DType.I32, 8);
    for (Place place : Place.all(backend())) {
      byte[] content = bytes(random(), 64);
      try (Place.Block block = place.block(content)) {
        MemorySegment memory = block.segment();
        MemoryTransfer transfer = device().transfer();
        for (Layout other : new Layout[] {even, odd}) {
          assertThrows(
              IllegalArgumentException.class,
              () -> transfer.copy(memory, first, memory, other),
              () -> place + ": " + first + " to " + other);
        }
        transfer.copy(memory, even, memory, odd);
        reference(content.clone(), even, content, odd);
        assertArrayEquals(content, block.read(), () -> place + ": even elements to odd ones");
      }
    }
  }

  @Requirement(
      id = "XFER-010",
      text =
          "A layout that exceeds its segment throws IndexOutOfBoundsException; nothing is copied"
              + " then.")
  void layoutsBeyondASegmentAreRefused() throws Exception {
    Place host = Place.host(backend());
    byte[] zeros = new byte[64];
    Layout dense = Layout.contiguous(DType.I32, 8);
    Layout wide = Layout.strided(DType.I32, Shape.of(8), new long[] {3}, 0);
    try (Place.Block source = host.block(bytes(random(), 64));
        Place.Block target = host.block(zeros)) {
      MemoryTransfer transfer = device().transfer();
      assertThrows(
          IndexOutOfBoundsException.class,
          () -> transfer.copy(source.segment(), dense, target.segment(), wide));
      assertThrows(
          IndexOutOfBoundsException.class,
          () -> transfer.copy(source.segment(), wide, target.segment(), dense));
      assertArrayEquals(zeros, target.read());
    }
  }

  @Requirement(
      id = "XFER-011",
      text = "A copy on a stream takes place in order with the stream's other work.",
      capability = Capability.STREAMS)
  void streamCopiesAreInOrder() throws Exception {
    Random random = random();
    eachPair(
        (from, to) -> {
          byte[] content = bytes(random, 4000);
          try (Place.Block source = from.block(content);
              Place.Block between = to.block(new byte[4000]);
              Place.Block target = to.block(new byte[4000]);
              Stream stream = device().openStream(0);
              Gate gate = new Gate()) {
            stream.run(gate::await);
            Layout dense = Layout.contiguous(DType.I8, 4000);
            Layout backwards = Layout.strided(DType.I8, Shape.of(4000), new long[] {-1}, 3999);
            MemoryTransfer transfer = device().transfer();
            transfer.copyAsync(source.segment(), between.segment(), 4000, stream);
            transfer.copyAsync(between.segment(), dense, target.segment(), backwards, stream);
            assertArrayEquals(new byte[4000], target.read(), "the target while the stream waits");
            gate.open();
            stream.await();
            byte[] expected = new byte[4000];
            reference(content, dense, expected, backwards);
            assertArrayEquals(content, between.read());
            assertArrayEquals(expected, target.read());
          }
        });
  }

  @Requirement(
      id = "XFER-012",
      text = "The arguments of a copy on a stream are checked before the call returns.",
      capability = Capability.STREAMS)
  void streamCopiesAreChecked() throws Exception {
    Place host = Place.host(backend());
    Layout four = Layout.contiguous(DType.F32, 4);
    Layout five = Layout.contiguous(DType.F32, 5);
    try (Place.Block source = host.block(new byte[16]);
        Place.Block target = host.block(new byte[16]);
        Stream stream = device().openStream(0)) {
      MemorySegment in = source.segment();
      MemorySegment out = target.segment();
      MemoryTransfer transfer = device().transfer();
      assertThrows(IllegalArgumentException.class, () -> transfer.copyAsync(in, out, -1, stream));
      assertThrows(IndexOutOfBoundsException.class, () -> transfer.copyAsync(in, out, 17, stream));
      assertThrows(
          IllegalArgumentException.class, () -> transfer.copyAsync(in, four, out, five, stream));
      assertThrows(
          IndexOutOfBoundsException.class, () -> transfer.copyAsync(in, five, out, five, stream));
    }
  }

  @Requirement(
      id = "XFER-013",
      text = "A stream of another backend is refused with IllegalArgumentException.")
  void foreignStreamsAreRefused() throws Exception {
    Place host = Place.host(backend());
    Layout four = Layout.contiguous(DType.F32, 4);
    Stream foreign = Foreign.of(Stream.class);
    try (Place.Block source = host.block(new byte[16]);
        Place.Block target = host.block(new byte[16])) {
      MemorySegment in = source.segment();
      MemorySegment out = target.segment();
      MemoryTransfer transfer = device().transfer();
      assertThrows(IllegalArgumentException.class, () -> transfer.copyAsync(in, out, 16, foreign));
      assertThrows(
          IllegalArgumentException.class, () -> transfer.copyAsync(in, four, out, four, foreign));
    }
  }

  @Requirement(id = "XFER-014", text = "Several threads may copy at the same time.")
  void severalThreadsCopyAtOnce() throws Exception {
    eachPair(
        (from, to) ->
            Together.run(
                4,
                thread -> {
                  Random random = new Random(random().nextLong() + thread);
                  for (int i = 0; i < 20; i++) {
                    byte[] content = bytes(random, 1 + random.nextInt(10_000));
                    try (Place.Block source = from.block(content);
                        Place.Block target = to.empty(content.length)) {
                      device().transfer().copy(source.segment(), target.segment(), content.length);
                      assertArrayEquals(content, target.read());
                    }
                  }
                }));
  }
}
