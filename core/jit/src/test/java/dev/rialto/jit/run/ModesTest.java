package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Mode;
import dev.rialto.jit.Node;
import dev.rialto.jit.Op;
import dev.rialto.jit.Program;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.TensorExpression;
import dev.rialto.spi.data.DType;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ModesTest {
  private static Program zeroing(Node node) {
    List<Affine> index = List.of(Affine.of(new Iter("i", 4)));
    ScalarExpression zero = new ScalarExpression.Const(node.type(), 0);
    return new Program("zeroing", List.of(Assign.of(node, index, Accum.SET, true, zero)));
  }

  @Test
  void aModeThatContradictsAnEarlierOneNamesBothReasons() {
    Node node = Node.hosted("x", DType.F32, 4);
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> node.restrict(EnumSet.of(Mode.VIRTUAL), "the schedule inlines it"))
        .withMessageContaining("virtual because the schedule inlines it")
        .withMessageContaining("hosted because it was made to be hosted");
  }

  @Test
  void aConstantIsWrittenOnceIntoEachContextAndNeverAssigned() {
    Node table = Node.constant("table", DType.F32, 4);
    TensorExpression twice =
        TensorExpression.of(table).apply("twice", Op.ADD, TensorExpression.of(table));
    try (JitBackend backend = Machines.open("jvm");
        Compiled compiled = backend.compile(TensorExpression.program("sum", twice));
        Context root = backend.newDevice(0).context();
        Routine one = backend.link(root, compiled);
        Context context = one.context();
        Routine other = backend.link(backend.newDevice(0).context(), compiled);
        Context elsewhere = other.context()) {
      context.write(table, 1, 2, 3, 4);
      elsewhere.write(table, 1, 2, 3, 4);
      one.run();
      assertThat(context.read(twice.node())).containsExactly(2, 4, 6, 8);
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(() -> context.write(table, 4, 3, 2, 1))
          .withMessageContaining("because the host wrote it again")
          .withMessageContaining("constant because it was made to be constant");
      Program assigns = zeroing(table);
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(() -> backend.compile(assigns))
          .withMessageContaining("because program zeroing assigns it")
          .withMessageContaining("constant because it was made to be constant");
    }
  }

  @Test
  void whatAProgramMakesOfANodeDoesNotStickToTheNode() {
    Node x = Node.hosted("x", DType.F32, 4);
    TensorExpression up = TensorExpression.of(x).apply("up", Op.ADD, TensorExpression.of(x));
    TensorExpression y = up.apply("y", Op.EXP);
    TensorExpression z = TensorExpression.of(up.node()).apply("z", Op.NEG);
    Program first = TensorExpression.program("first", y);
    Program reader = TensorExpression.program("reader", z);
    try (JitBackend backend = Machines.open("jvm");
        Compiled compiled = backend.compile(first);
        Compiled other = backend.compile(reader);
        Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled);
        Context context = routine.context()) {
      assertThat(up.node().modes()).containsExactlyInAnyOrder(Mode.values());
      assertThat(context.holds(up.node())).isFalse();
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> backend.link(context, other))
          .withMessageContaining("program reader reads up")
          .withMessageContaining("program first");
      up.node().restrict(Mode.onHost(), "the host reads it");
      try (Compiled again = backend.compile(first);
          Routine hosted = backend.link(root, again);
          Context seen = hosted.context();
          Routine next = backend.link(seen, other);
          Context last = next.context()) {
        seen.write(x, 1, 2, 3, 4);
        hosted.run();
        next.run();
        assertThat(last.read(z.node())).containsExactly(-2, -4, -6, -8);
      }
    }
  }

  @Test
  void whatTheHostAloneMayChangeIsNotAssigned() {
    Node batch = Node.hosted("batch", DType.F32, 4);
    batch.restrict(EnumSet.of(Mode.VOLATILE), "the host feeds it");
    try (JitBackend backend = Machines.open("jvm");
        Context root = backend.newDevice(0).context();
        Context context = root.with(Set.of(batch))) {
      context.write(batch, 1, 2, 3, 4);
      context.write(batch, 5, 6, 7, 8);
      assertThat(context.read(batch)).containsExactly(5, 6, 7, 8);
      Program assigns = zeroing(batch);
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(() -> backend.compile(assigns))
          .withMessageContaining("volatile because the host feeds it");
    }
  }
}
