package dev.rialto.tck.host;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.memory.MemoryTransfer;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.generated.Draw;
import dev.rialto.tck.reference.LayoutReference;
import dev.rialto.tck.reference.Place;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A random program of copies among blocks in all places; the model is an array for each block. */
final class TransferScript {
  private static final int LONGEST = 9 << 20;
  private static final int LAYOUTS = 1 << 18;

  @SuppressWarnings("ArrayRecordComponent") // The content is changed in place.
  private record Held(Place place, Place.Block block, byte[] content) {}

  private final BackendProvider backend;
  private final Draw draw;
  private final Random random;
  private final Coverage coverage;
  private final List<Held> held = new ArrayList<>();

  TransferScript(BackendProvider backend, long seed, Coverage coverage) {
    this.backend = backend;
    this.draw = new Draw(seed);
    this.random = new Random(seed);
    this.coverage = coverage;
  }

  void run(int steps) {
    try {
      for (Place place : Place.all(backend)) {
        add(place, LAYOUTS + draw.below(1000));
        add(place, (int) draw.magnitude(LONGEST));
        add(place, LONGEST / 4 + draw.below(LONGEST - LONGEST / 4));
      }
      for (int step = 0; step < steps; step++) {
        if (draw.once(3)) {
          byLayout();
        } else {
          plain();
        }
      }
      held.forEach(TransferScript::check);
    } finally {
      held.forEach(each -> each.block.close());
    }
  }

  private void add(Place place, int bytes) {
    byte[] content = new byte[bytes];
    random.nextBytes(content);
    held.add(new Held(place, place.block(content), content));
  }

  private static void check(Held each) {
    RankMemory.check(
        MemorySegment.ofArray(each.content),
        MemorySegment.ofArray(each.block.read()),
        each.place.toString());
  }

  private static MemorySegment at(Held each, long offset) {
    MemorySegment segment = each.block.segment();
    return segment.byteSize() == 0
        ? MemorySegment.ofAddress(segment.address() + offset)
        : segment.asSlice(offset);
  }

  private void plain() {
    Held from = draw.of(held);
    Held to = draw.once(4) ? from : draw.of(held);
    int most = Math.min(from.content.length, to.content.length);
    // Half of the time as much as there is: what is special about long copies is seen.
    int count = draw.once(2) ? most : (int) Math.min(most, draw.magnitude(most));
    int source = draw.below(from.content.length - count + 1);
    int target = draw.below(to.content.length - count + 1);
    MemoryTransfer transfer = backend.devices().getFirst().transfer();
    transfer.copy(at(from, source), at(to, target), count);
    System.arraycopy(from.content, source, to.content, target, count);
    if (draw.once(2)) {
      check(to);
    }
    coverage
        .addSize("copy", count)
        .add("copy", Coverage.Dimension.MEMORY, from.place + " to " + to.place)
        .add("copy", Coverage.Dimension.FORM, from.equals(to) ? "within a block" : "apart");
  }

  private void byLayout() {
    DType type = draw.of(List.of(DType.values()));
    Layout in = LayoutReference.random(random, type);
    Layout out = LayoutReference.random(random, type);
    if (in.count() != out.count() || draw.once(2)) {
      out = draw.once(2) ? in : Layout.contiguous(type, in.count());
    }
    Held from = draw.of(held.stream().filter(each -> each.content.length >= LAYOUTS).toList());
    Held to = draw.of(held.stream().filter(each -> each.content.length >= LAYOUTS).toList());
    if (from.equals(to)) {
      return;
    }
    backend.devices().getFirst().transfer().copy(from.block.segment(), in, to.block.segment(), out);
    LayoutReference.copy(
        MemorySegment.ofArray(from.content),
        in,
        MemorySegment.ofArray(to.content),
        out,
        in.count());
    check(to);
    coverage
        .addSize("copy by layout", in.bytes())
        .add("copy by layout", Coverage.Dimension.TYPE, type)
        .add("copy by layout", Coverage.Dimension.FORM, in.getClass().getSimpleName())
        .add("copy by layout", Coverage.Dimension.MEMORY, from.place + " to " + to.place);
  }
}
