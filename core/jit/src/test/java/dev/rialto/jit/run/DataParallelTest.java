package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.jit.Gradient;
import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.run.Context.Merge;
import dev.rialto.spi.error.DeviceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Several devices that train one parameter: each has a shard, gradients meet in merge buffers. */
class DataParallelTest {
  private static final double[] X = {1, 2, 3, 4};

  static Stream<Arguments> trainings() {
    return Machines.compiled().stream()
        .flatMap(
            machine ->
                Stream.of(1, 2)
                    .flatMap(
                        shards ->
                            Stream.of(Merge.COPY, Merge.STREAMING)
                                .map(merge -> Arguments.of(machine, shards, merge))));
  }

  /** loss = Σ (w x − 5 x)² / 4 over a shard, so that w must become 5. */
  private static Program forward(int shards) {
    int size = X.length / shards;
    return Program.parse(
        "forward",
        """
        input w f64[]
        input x f64[%d]
        r[i] = w[] * x[i] - 5 * x[i]
        output loss[] += r[i] * r[i] / 4
        """
            .formatted(size));
  }

  private static Program then(Node w, Node grad, String name, String text) {
    // A text names nodes anew; these are the same ones.
    Program parsed = Program.parse(name, "input w f64[]\ninput w.grad f64[]\n" + text);
    return new Program(
        name,
        parsed.assigns().stream()
            .map(
                a ->
                    dev.rialto.jit.Assign.of(
                        a.target().name().equals("w") ? w : grad,
                        a.index(),
                        a.accum(),
                        a.fresh(),
                        swap(a.body(), w, grad)))
            .toList());
  }

  private static dev.rialto.jit.Scalar swap(dev.rialto.jit.Scalar s, Node w, Node grad) {
    return s instanceof dev.rialto.jit.Scalar.Read read
        ? new dev.rialto.jit.Scalar.Read(
            read.node().name().equals("w") ? w : grad, read.index(), read.merged())
        : s.map(part -> swap(part, w, grad));
  }

  @ParameterizedTest
  @MethodSource("trainings")
  void shardsAgreeOnTheParameter(String machine, int shards, Merge how) {
    Program forward = forward(shards);
    Node w = forward.node("w");
    Gradient gradient = Gradient.of(forward, forward.node("loss"), Set.of(w));
    Node grad = gradient.of().get(w);
    try (JitBackend backend = Machines.open(machine);
        Compiled slope = backend.compile(forward.then(gradient.program()));
        Compiled merge = backend.compile(then(w, grad, "merge", "w.grad[] += w.grad.merge[]"));
        Compiled step = backend.compile(then(w, grad, "step", "w[] = w[] - 0.05 * w.grad[]"))) {
      List<Routine> slopes = new ArrayList<>();
      for (int d = 0; d < shards; d++) {
        Routine routine =
            backend.link(backend.newDevice(d % backend.physicalDevices()).context(), slope);
        slopes.add(routine);
        int size = X.length / shards;
        double[] shard = java.util.Arrays.copyOfRange(X, d * size, (d + 1) * size);
        routine.context().write(forward.node("x"), shard);
        routine.context().write(w, 2);
      }
      Context owner = slopes.getFirst().context();
      Routine merging = backend.link(owner, merge, Set.of(grad));
      Routine stepping = backend.link(owner, step, Set.of(w, grad));
      double first = 0;
      for (int epoch = 0; epoch < 60; epoch++) {
        slopes.forEach(Routine::run);
        if (epoch == 0) {
          first = owner.read(forward.node("loss"))[0];
        }
        for (Routine other : slopes.subList(1, shards)) {
          owner.transfer(grad, how, other.context());
          merging.run();
        }
        stepping.run();
        for (Routine other : slopes.subList(1, shards)) {
          other.context().transfer(w, Merge.NONE, owner);
        }
      }
      for (Routine routine : slopes) {
        assertThat(routine.context().read(w)[0]).isEqualTo(5, within(5e-7));
      }
      assertThat(first).isEqualTo(shards == 1 ? 67.5 : 11.25);
      slopes
          .reversed()
          .forEach(
              r -> {
                r.close();
                r.context().close();
              });
      merging.close();
      stepping.close();
    }
  }

  @Test
  void aWrongMergeNodeFailsAtLink() {
    Program forward = forward(1);
    Node w = forward.node("w");
    Node grad = Node.hosted("w.grad", w.type());
    try (JitBackend backend = Machines.open("sync_jvm");
        Compiled merge = backend.compile(then(w, grad, "merge", "w.grad[] += w.grad.merge[]"));
        Context source = backend.newDevice(0).context().with(Set.of(w, grad));
        Context target = backend.newDevice(0).context().with(Set.of(w, grad))) {
      Context wrong = target.transfer(w, Merge.COPY, source);
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> backend.link(wrong, merge))
          .withMessageContaining("w.grad.merge")
          .withMessageContaining("holds w");
      try (Routine early = backend.link(target, merge)) {
        early.run();
        assertThatExceptionOfType(DeviceException.class)
            .isThrownBy(() -> early.context().device().await())
            .withMessageContaining("transfer it first");
      }
    }
  }
}
