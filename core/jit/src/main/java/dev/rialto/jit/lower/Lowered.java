package dev.rialto.jit.lower;

import dev.rialto.jit.Node;
import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.spi.code.Procedure;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A program as loops.
 *
 * @param name the program's
 * @param procedures run one after the other
 * @param slots for each procedure, what each parameter is
 * @param context the nodes that a context holds
 * @param scratch the nodes that live only while the procedures run
 * @param merged the node that is read from the merge buffer, if any
 * @param statics the static indices, in the order of their buffer
 * @param stages what each stage looked like, for people
 */
public record Lowered(
    String name,
    List<Procedure> procedures,
    List<List<Slot>> slots,
    Set<Node> context,
    Set<Node> scratch,
    Set<Node> merged,
    List<StaticIndex> statics,
    List<Stage> stages) {
  /** The origin of a parameter. */
  public sealed interface Slot {
    /**
     * A node's memory.
     *
     * @param node which
     */
    record OfNode(Node node) implements Slot {}

    /**
     * The merge buffer.
     *
     * @param node what it must hold
     */
    record Merge(Node node) implements Slot {}

    /** The values of the static indices, an I64 each. */
    record Statics() implements Slot {}
  }

  /** A stage, printed when it is asked for. */
  public static final class Stage {
    private final String name;
    private final Supplier<String> text;

    Stage(String name, Supplier<String> text) {
      this.name = name;
      this.text = text;
    }

    /** Returns the name, such as {@code inlined}. */
    public String name() {
      return name;
    }

    /** Returns what it looked like. */
    public String text() {
      return text.get();
    }

    @Override
    public String toString() {
      return name + ":\n" + text();
    }
  }
}
