package dev.rialto.array.part;

import dev.rialto.jit.Node;
import dev.rialto.jit.run.NodeMemory;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeDevice;

/** A rank's part of an array, halo and all, while it is a node of a context. */
public final class ArrayLoan implements NodeMemory.Loan {
  private final Operand array;
  private final RankPart part;
  private boolean closed;

  private ArrayLoan(Operand array, RankPart part) {
    this.array = array;
    this.part = part;
    part.bound(1);
  }

  public static ArrayLoan of(Operand array, Node node, ComputeDevice device) {
    RankPart part = array.usable("binding");
    if (array.isView()) {
      throw new IllegalArgumentException(
          "node %s cannot be %s, a view; bind the whole array, or a copy".formatted(node, array));
    }
    if (node.type() != array.type() || !node.shape().equals(array.layout().shape())) {
      throw new IllegalArgumentException(
          "node %s of %s and shape %s cannot be %s, whose part on rank %d is of %s and shape %s%s"
              .formatted(
                  node,
                  node.type(),
                  node.shape(),
                  array,
                  array.team().communicator().rank(),
                  array.type(),
                  array.layout().shape(),
                  part.stencil == null ? "" : " with its halo"));
    }
    part.requireRowMajor("a node is", array);
    NodeMemory.requireOn(device, node, array.client().device(), array.toString());
    return new ArrayLoan(array, part);
  }

  @Override
  public Buffer buffer() {
    return part.shared();
  }

  @Override
  public void requireUsable() {
    part.halo.requireNone(array, "a routine");
    var _ = array.usable("running a routine on");
  }

  /** Loops over an array of the host do not ask what streams do with it. */
  @Override
  public boolean isAwaited() {
    return !array.isOnDevice();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      part.bound(-1);
    }
  }
}
