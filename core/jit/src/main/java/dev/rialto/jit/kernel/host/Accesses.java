package dev.rialto.jit.kernel.host;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The accesses of a launch to the elements of an array: finds two that nothing orders. Accesses of
 * one item are in order, and so are those of a block with a barrier between them; atomic ones need
 * no order among themselves.
 */
final class Accesses {
  enum Kind {
    READ("reads", "read"),
    WRITE("writes", "wrote"),
    ATOMIC("changes atomically", "changed atomically");

    private final String now;
    private final String then;

    Kind(String now, String then) {
      this.now = now;
      this.then = then;
    }
  }

  /**
   * An access.
   *
   * @param item the item's number among all
   * @param block the number of its block
   * @param barriers those that it has passed
   * @param line of the source
   */
  record Access(Kind kind, long item, long block, int barriers, String line) {
    private boolean disturbs(@Nullable Access other) {
      return other != null
          && item != other.item
          && (block != other.block || barriers == other.barriers)
          && !(kind == Kind.READ && other.kind == Kind.READ)
          && !(kind == Kind.ATOMIC && other.kind == Kind.ATOMIC);
    }
  }

  /** The accesses to an element that a later one can disturb: of readers two, for one may be it. */
  private static final class Element {
    private @Nullable Access write;
    private @Nullable Access atomic;
    private @Nullable Access read;
    private @Nullable Access otherRead;
  }

  private final String name;
  private final Map<Long, Element> elements = new HashMap<>();

  /** Begins with no accesses; messages call the array by the name. */
  Accesses(String name) {
    this.name = name;
  }

  /**
   * Notes an access.
   *
   * @throws IllegalStateException if another item's is not in order with it
   */
  void add(long index, Access now) {
    Element element = elements.computeIfAbsent(index, _ -> new Element());
    refuse(index, now, element.write);
    refuse(index, now, element.atomic);
    refuse(index, now, element.read);
    refuse(index, now, element.otherRead);
    switch (now.kind()) {
      case WRITE -> element.write = now;
      case ATOMIC -> element.atomic = now;
      case READ -> {
        if (element.read != null && element.read.item() != now.item()) {
          element.otherRead = element.read;
        }
        element.read = now;
      }
    }
  }

  private void refuse(long index, Access now, @Nullable Access before) {
    if (before != null && now.disturbs(before)) {
      throw new IllegalStateException(
          "%s: item %s %s index %s of %s, which item %s %s at %s%s"
              .formatted(
                  now.line(),
                  now.item(),
                  now.kind().now,
                  index,
                  name,
                  before.item(),
                  before.kind().then,
                  before.line(),
                  now.block() == before.block()
                      ? "; put a barrier between the two, or make both atomic"
                      : "; blocks do not wait for one another: make both atomic, or two launches"));
    }
  }
}
