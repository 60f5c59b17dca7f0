package dev.rialto.tck.generated.window;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.generated.Draw;
import dev.rialto.tck.generated.Group;
import dev.rialto.tck.generated.Placement;
import dev.rialto.tck.generated.Script;
import dev.rialto.tck.generated.Size;
import dev.rialto.tck.generated.window.WindowAccess.Kind;
import dev.rialto.tck.generated.window.WindowStep.Epoch;
import dev.rialto.tck.generated.window.WindowStep.Sync;
import dev.rialto.tck.reference.LayoutReference;
import dev.rialto.tck.reference.ReductionReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Random windows and accesses for the communicators of a script. */
public final class WindowDraw {
  private final Draw draw;
  private final Set<Capability> capabilities;
  private final Draw.Deck<WindowStep.Kind> kinds;
  private final Draw.Deck<DType> types;
  private final Draw.Deck<Sync> syncs;

  public WindowDraw(Draw draw, Set<Capability> capabilities) {
    this.draw = draw;
    this.capabilities = capabilities;
    List<WindowStep.Kind> possible =
        new ArrayList<>(List.of(WindowStep.Kind.WINDOW, WindowStep.Kind.ALLOCATE_WINDOW));
    if (capabilities.contains(Capability.SHARED_WINDOWS)) {
      possible.add(WindowStep.Kind.SHARED_WINDOW);
    }
    if (capabilities.contains(Capability.DYNAMIC_WINDOWS)
        && capabilities.contains(Capability.COLLECTIVES)) {
      possible.add(WindowStep.Kind.DYNAMIC_WINDOW);
    }
    this.kinds = new Draw.Deck<>(draw, possible);
    this.types = new Draw.Deck<>(draw, Script.numbers(capabilities));
    this.syncs = new Draw.Deck<>(draw, List.of(Sync.values()));
  }

  public WindowStep draw(Group group, Size size) {
    List<Long> raw = new ArrayList<>();
    List<Long> numbers = new ArrayList<>();
    for (int rank = 0; rank < group.size(); rank++) {
      raw.add(draw.once(6) ? 0 : draw.magnitude(size.bytes()));
      numbers.add(draw.once(6) ? 0 : (long) draw.below(120));
    }
    DType type = types.get();
    List<Epoch> epochs = new ArrayList<>();
    int several = 1 + draw.below(4);
    for (int i = 0; i < several; i++) {
      List<WindowAccess> accesses = new ArrayList<>();
      for (int target = 0; target < group.size(); target++) {
        raw(accesses, group.size(), target, raw.get(target));
        numbers(accesses, group.size(), target, type, raw.get(target), numbers.get(target));
      }
      epochs.add(new Epoch(syncs.get(), accesses));
    }
    return new WindowStep(group, kinds.get(), type, raw, numbers, epochs, draw.number());
  }

  /** Draws one large put, and a get of it, from each kind of origin there is. */
  public WindowStep large(Group group, long bytes) {
    int target = draw.below(group.size());
    int origin = draw.below(group.size());
    List<Long> raw = new ArrayList<>();
    List<Long> numbers = new ArrayList<>();
    for (int rank = 0; rank < group.size(); rank++) {
      raw.add(rank == target ? bytes : 0);
      numbers.add(rank == target ? bytes / 64 : 0);
    }
    DType type = types.get();
    List<Epoch> epochs = new ArrayList<>();
    for (Kind kind : List.of(Kind.PUT, Kind.GET)) {
      DType unit = draw.of(List.of(DType.values()));
      epochs.add(
          new Epoch(
              syncs.get(),
              List.of(
                  plain(kind, origin, target, 0, unit, bytes / unit.size()),
                  combining(
                      Kind.ACCUMULATE,
                      origin,
                      target,
                      WindowStep.front(bytes),
                      type,
                      bytes / 64,
                      draw.of(operators(type))))));
    }
    return new WindowStep(group, kinds.get(), type, raw, numbers, epochs, draw.number());
  }

  /** Cuts raw memory into slots, each written by one rank or read by several. */
  private void raw(List<WindowAccess> accesses, int ranks, int target, long bytes) {
    long at = 0;
    while (at < bytes) {
      long slot = Math.min(bytes - at, 16 * draw.magnitude(Math.max(1, (bytes + 15) / 16)));
      DType type = draw.of(List.of(DType.values()));
      long offset = at + (long) draw.below(3) * type.alignment();
      long most = (at + slot - offset) / type.size();
      int origin = draw.below(ranks);
      if (most >= 0 && offset <= at + slot) {
        switch (draw.below(6)) {
          case 0, 1 ->
              accesses.add(plain(Kind.PUT, origin, target, offset, type, draw.once(8) ? 0 : most));
          case 2 -> {
            for (int i = draw.below(3); i >= 0; i--) {
              accesses.add(plain(Kind.GET, draw.below(ranks), target, offset, type, most));
            }
          }
          case 3 -> layout(accesses, origin, target, offset, type, at + slot - offset);
          default -> {}
        }
      }
      at += slot;
    }
  }

  private WindowAccess plain(
      Kind kind, int origin, int target, long offset, DType type, long count) {
    return combining(kind, origin, target, offset, type, count, ReduceOp.REPLACE);
  }

  private void layout(
      List<WindowAccess> accesses, int origin, int target, long offset, DType type, long room) {
    if (!capabilities.contains(Capability.LAYOUTS)) {
      return;
    }
    Layout there = LayoutReference.random(new Random(draw.number()), type);
    if (there.span() > room) {
      return;
    }
    Layout other = LayoutReference.random(new Random(draw.number()), type);
    Layout here = other.count() == there.count() ? other : Layout.contiguous(type, there.count());
    accesses.add(
        new WindowAccess(
            draw.once(2) ? Kind.PUT_LAYOUT : Kind.GET_LAYOUT,
            origin,
            target,
            offset,
            type,
            there.count(),
            ReduceOp.REPLACE,
            here,
            there,
            placement(),
            false,
            draw.number()));
  }

  /**
   * Cuts the numbers into slots: of one rank's accesses in order, or of one operator by several.
   */
  private void numbers(
      List<WindowAccess> accesses, int ranks, int target, DType type, long rawBytes, long count) {
    long at = 0;
    while (at < count) {
      long slot = Math.min(count - at, 1 + draw.below(40));
      long offset = WindowStep.front(rawBytes) + type.bytes(at);
      int origin = draw.below(ranks);
      switch (draw.below(4)) {
        case 0 -> {
          ReduceOp op = draw.of(operators(type));
          for (int i = draw.below(4); i >= 0; i--) {
            accesses.add(
                combining(Kind.ACCUMULATE, draw.below(ranks), target, offset, type, slot, op));
          }
        }
        case 1 -> {
          for (int i = draw.below(3); i >= 0; i--) {
            Kind kind = draw.of(List.of(Kind.ACCUMULATE, Kind.GET_ACCUMULATE, Kind.FETCH_AND_OP));
            List<ReduceOp> ops = new ArrayList<>(operators(type));
            ops.add(ReduceOp.REPLACE);
            ops.add(ReduceOp.NO_OP);
            long length = kind == Kind.FETCH_AND_OP ? 1 : draw.once(9) ? 0 : slot;
            // An accumulate that changes nothing is no access.
            ReduceOp op = draw.of(ops);
            accesses.add(
                combining(
                    kind,
                    origin,
                    target,
                    offset,
                    type,
                    length,
                    kind == Kind.ACCUMULATE && op.equals(ReduceOp.NO_OP) ? ReduceOp.REPLACE : op));
          }
        }
        case 2 -> {
          if (type.kind() == DType.Kind.INTEGER) {
            accesses.add(
                access(
                    Kind.COMPARE_AND_SWAP,
                    origin,
                    target,
                    offset,
                    type,
                    1,
                    ReduceOp.REPLACE,
                    draw.once(2)));
          }
        }
        default -> {}
      }
      at += slot;
    }
  }

  private WindowAccess combining(
      Kind kind, int origin, int target, long offset, DType type, long count, ReduceOp op) {
    return access(kind, origin, target, offset, type, count, op, false);
  }

  private WindowAccess access(
      Kind kind,
      int origin,
      int target,
      long offset,
      DType type,
      long count,
      ReduceOp op,
      boolean matches) {
    return new WindowAccess(
        kind, origin, target, offset, type, count, op, placement(), matches, draw.number());
  }

  private static List<ReduceOp> operators(DType type) {
    return ReductionReference.operators(type);
  }

  private Placement placement() {
    return Placement.draw(draw, capabilities.contains(Capability.HEAP_BUFFERS));
  }
}
