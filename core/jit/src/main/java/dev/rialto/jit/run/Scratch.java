package dev.rialto.jit.run;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Node;
import dev.rialto.jit.lower.Lowered;
import dev.rialto.jit.lower.Lowered.Slot;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a routine's local nodes. A node lives from the first to the last procedure that
 * touches it; nodes that never live at the same time share memory, the smallest that fits.
 */
final class Scratch implements AutoCloseable {
  private final List<Allocation> allocations = new ArrayList<>();
  private final Map<Node, Allocation> places = new HashMap<>();

  Scratch(Lowered lowered, MemorySpace memory) {
    Map<Node, Integer> last = new HashMap<>();
    for (int i = 0; i < lowered.procedures().size(); i++) {
      for (Node node : locals(lowered, i)) {
        last.put(node, i);
      }
    }
    List<Allocation> free = new ArrayList<>();
    for (int i = 0; i < lowered.procedures().size(); i++) {
      List<Node> here = locals(lowered, i);
      for (Node node : here) {
        if (!places.containsKey(node)) {
          places.put(node, take(free, node.bytes(), memory));
        }
      }
      for (Node node : here) {
        if (requireNonNull(last.get(node)) == i) {
          free.add(requireNonNull(places.get(node)));
        }
      }
    }
  }

  private static List<Node> locals(Lowered lowered, int procedure) {
    Set<Node> scratch = lowered.scratch();
    List<Node> locals = new ArrayList<>();
    for (Slot slot : lowered.slots().get(procedure)) {
      if (slot instanceof Slot.OfNode(Node node) && scratch.contains(node)) {
        locals.add(node);
      }
    }
    return locals;
  }

  private Allocation take(List<Allocation> free, long bytes, MemorySpace memory) {
    Allocation best =
        free.stream()
            .filter(allocation -> allocation.bytes() >= bytes)
            .min(Comparator.comparingLong(Allocation::bytes))
            .orElse(null);
    if (best != null) {
      free.remove(best);
      return best;
    }
    Allocation made = memory.allocate(bytes);
    allocations.add(made);
    return made;
  }

  /** A node's memory, if it is local. */
  @Nullable MemorySegment of(Node node) {
    Allocation allocation = places.get(node);
    return allocation == null ? null : allocation.segment();
  }

  @Override
  public void close() {
    allocations.forEach(Allocation::close);
  }
}
