package dev.rialto.jit.run;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Node;
import dev.rialto.jit.lower.Lowered;
import dev.rialto.jit.lower.Lowered.Slot;
import dev.rialto.runtime.Buffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The memory that a routine has for itself: its local nodes, and the values of its static indices.
 * A node lives from the first to the last procedure that touches it; nodes that never live at the
 * same time share memory, the smallest that fits.
 */
final class RoutineMemory implements AutoCloseable {
  private final List<Buffer> buffers = new ArrayList<>();
  private final Map<Node, Buffer> places = new HashMap<>();
  private final @Nullable Buffer statics;

  RoutineMemory(Lowered lowered, VirtualDevice device) {
    try {
      long indices = lowered.statics().size();
      statics =
          indices == 0
              ? null
              : made(device.zeros("static indices of program " + lowered.name(), 8 * indices));
      place(lowered, device);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private void place(Lowered lowered, VirtualDevice device) {
    Map<Node, Integer> last = new HashMap<>();
    for (int i = 0; i < lowered.procedures().size(); i++) {
      for (Node node : locals(lowered, i)) {
        last.put(node, i);
      }
    }
    List<Buffer> free = new ArrayList<>();
    for (int i = 0; i < lowered.procedures().size(); i++) {
      List<Node> here = locals(lowered, i);
      for (Node node : here) {
        if (!places.containsKey(node)) {
          Buffer found = take(free, node.bytes());
          places.put(
              node,
              found != null
                  ? found
                  : made(device.zeros("local nodes of program " + lowered.name(), node.bytes())));
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

  private static @Nullable Buffer take(List<Buffer> free, long bytes) {
    Buffer best =
        free.stream()
            .filter(buffer -> buffer.bytes() >= bytes)
            .min(Comparator.comparingLong(Buffer::bytes))
            .orElse(null);
    free.remove(best);
    return best;
  }

  private Buffer made(Buffer buffer) {
    buffers.add(buffer);
    return buffer;
  }

  /** All memory. */
  List<Buffer> buffers() {
    return buffers;
  }

  /** A node's memory, if it is local. */
  @Nullable Buffer of(Node node) {
    return places.get(node);
  }

  /** The values of the static indices, if there are any. */
  @Nullable Buffer statics() {
    return statics;
  }

  @Override
  public void close() {
    buffers.forEach(Buffer::close);
  }
}
