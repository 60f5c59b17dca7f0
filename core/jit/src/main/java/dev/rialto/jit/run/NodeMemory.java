package dev.rialto.jit.run;

import dev.rialto.jit.Node;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.runtime.Tensor;

/**
 * Memory that is there already, to be a node of a {@linkplain Context#with(java.util.Map) context}:
 * an array, or a tensor of the runtime.
 */
public interface NodeMemory {
  /** Returns a tensor without gaps between its elements as memory of nodes. */
  static NodeMemory of(Tensor tensor) {
    return (node, device) -> {
      if (tensor.layout().type() != node.type()
          || !tensor.shape().equals(node.shape())
          || !tensor.layout().isContiguous()) {
        throw new IllegalArgumentException(
            "node %s of %s and shape %s cannot be a tensor of %s and shape %s%s in %s"
                .formatted(
                    node,
                    node.type(),
                    node.shape(),
                    tensor.layout().type(),
                    tensor.shape(),
                    tensor.layout().isContiguous() ? "" : " with gaps",
                    tensor.buffer()));
      }
      requireOn(device, node, tensor.buffer().device(), tensor.buffer().toString());
      return new OwnedMemory(tensor.buffer().retain());
    };
  }

  /**
   * Checks that memory is where a program runs.
   *
   * @throws IllegalArgumentException if it is not, with both places
   */
  static void requireOn(ComputeDevice device, Node node, ComputeDevice other, String memory) {
    if (device != other) {
      throw new IllegalArgumentException(
          "node %s of a program on %s cannot be %s, which is on %s; make the program's device with a client of that one"
              .formatted(node, device.name(), memory, other.name()));
    }
  }

  /**
   * Lends the memory until the result is closed.
   *
   * @param node what it is to be
   * @param device where programs use it
   * @throws IllegalArgumentException if it does not fit, with what both are
   */
  Loan lend(Node node, ComputeDevice device);

  /** Memory that a context has, until it closes this. */
  interface Loan extends AutoCloseable {
    Buffer buffer();

    /**
     * Checks that a routine may use the memory now.
     *
     * @throws IllegalStateException if it may not
     */
    default void requireUsable() {}

    /**
     * Returns whether code of the host uses the memory between routines without asking a stream, so
     * that a routine has to be over when {@link Routine#run} returns.
     */
    default boolean isAwaited() {
      return false;
    }

    @Override
    void close();
  }
}
