package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Gradient;
import dev.rialto.jit.Node;
import dev.rialto.jit.Op;
import dev.rialto.jit.Program;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.run.Context.Merge;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Several devices that train one parameter: each has a shard, gradients meet in merge buffers. */
@Tag("gpu")
class DataParallelTest {
  private static final double[] X = {1, 2, 3, 4};

  static Stream<Arguments> trainings() {
    return Machines.compiled().stream()
        .flatMap(
            machine ->
                Stream.of(1, 2, 4)
                    .flatMap(
                        shards ->
                            Stream.of(Merge.COPY, Merge.STREAMING)
                                .map(merge -> Arguments.of(machine, shards, merge))));
  }

  static Stream<String> machines() {
    return Machines.compiled().stream();
  }

  /** The error of the line {@code w x} where {@code 2 x} is right. */
  private static Program forward(int shards) {
    return Program.parse(
        "forward",
        """
        input w f32[]
        input x f32[%d]
        r[i] = w[] * x[i] - 2 * x[i]
        output loss[] += r[i] * r[i]
        """
            .formatted(X.length / shards));
  }

  /** Adds a multiple of a gradient, its own or the merged one, to a number. */
  private static Program add(String name, Node target, double factor, Node grad, boolean merged) {
    ScalarExpression slope = new ScalarExpression.Read(grad, List.of(), merged);
    ScalarExpression value =
        ScalarExpression.apply(Op.MUL, new ScalarExpression.Const(grad.type(), factor), slope);
    return new Program(name, List.of(Assign.of(target, List.of(), Accum.SUM, false, value)));
  }

  @ParameterizedTest
  @MethodSource("trainings")
  void oneStepFindsTheSameParameterHoweverTheBatchIsDivided(String machine, int shards, Merge how) {
    Program forward = forward(shards);
    Node w = forward.node("w");
    Gradient gradient = Gradient.of(forward, forward.node("loss"), Set.of(w));
    Node grad = gradient.of().get(w);
    int size = X.length / shards;
    try (JitBackend backend = Machines.open(machine);
        Compiled slope = backend.compile(forward.then(gradient.program()));
        Compiled merge = backend.compile(add("merge", grad, 1, grad, true));
        Compiled step = backend.compile(add("step", w, -0.05, grad, false))) {
      List<Routine> slopes = new ArrayList<>();
      for (int d = 0; d < shards; d++) {
        VirtualDevice device = backend.newDevice(d % backend.physicalDevices());
        Routine routine = backend.link(device.context(), slope);
        slopes.add(routine);
        routine.context().write(forward.node("x"), Arrays.copyOfRange(X, d * size, (d + 1) * size));
        routine.context().write(w, 0.5);
      }
      Context owner = slopes.getFirst().context();
      List<Routine> others = slopes.subList(1, shards);
      Routine merging = backend.link(owner, merge, Set.of(grad));
      Routine stepping = backend.link(owner, step, Set.of(w, grad));
      slopes.forEach(Routine::run);
      double loss = owner.read(forward.node("loss"))[0];
      for (Routine other : others) {
        owner.transfer(grad, how, other.context());
        merging.run();
      }
      stepping.run();
      for (Routine other : others) {
        other.context().transfer(w, Merge.NONE, owner);
      }
      for (Routine routine : slopes) {
        assertThat(routine.context().read(w)).containsExactly(5.000000);
      }
      assertThat(loss).isEqualTo(shards == 1 ? 67.5 : shards == 2 ? 11.25 : 2.25);
      List.of(merging, stepping).forEach(Routine::close);
      for (Routine routine : slopes.reversed()) {
        routine.close();
        routine.context().close();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void shardsAreCutAndGathered(String machine) {
    Program cut =
        Program.parse("cut", "static s 3\ninput all f32[3, 2]\noutput part[i] = all[s, i]");
    Program gather =
        Program.parse(
            "gather",
            "static s 3\ninput part f32[2]\ninput all f32[3, 2]\nall[s, i] = part.merge[i]");
    Node part = gather.node("part");
    Node all = gather.node("all");
    try (JitBackend backend = Machines.open(machine);
        Compiled cutting = backend.compile(cut);
        Compiled gathering = backend.compile(gather);
        Context owner = backend.newDevice(0).context();
        Routine gathers = backend.link(owner, gathering)) {
      assertThat(gathers.merged()).contains(part);
      assertThat(all.shape().count()).isEqualTo(6);
      for (int s = 0; s < 3; s++) {
        try (Context root = backend.newDevice(s % backend.physicalDevices()).context();
            Routine shard = backend.link(root, cutting);
            Context context = shard.context();
            Context copy = context.with(Set.of(part))) {
          context.write(cut.node("all"), 0, 1, 2, 3, 4, 5);
          shard.bind(cut.statics().iterator().next(), s).run();
          double[] cutOut = context.read(cut.node("part"));
          assertThat(cutOut).containsExactly(2 * s, 2 * s + 1);
          copy.write(part, cutOut);
          gathers.context().transfer(part, Merge.COPY, copy);
          gathers.bind(gather.statics().iterator().next(), s).run();
          gathers.context().device().await();
        }
      }
      assertThat(gathers.context().read(all)).containsExactly(0, 1, 2, 3, 4, 5);
      gathers.context().close();
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void aWrongMergeNodeFailsAtLinkAndAMissingOneWhenItRuns(String machine) {
    Program forward = forward(1);
    Node w = forward.node("w");
    Node grad = Node.hosted("w.grad", w.type());
    try (JitBackend backend = Machines.open(machine);
        Compiled merge = backend.compile(add("merge", grad, 1, grad, true));
        Context source = backend.newDevice(0).context().with(Set.of(w, grad));
        Context target = backend.newDevice(0).context().with(Set.of(w, grad))) {
      Context wrong = target.transfer(w, Merge.COPY, source);
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> backend.link(wrong, merge))
          .withMessageContaining("w.grad.merge")
          .withMessageContaining("holds w");
      try (Routine early = backend.link(target, merge)) {
        assertThatExceptionOfType(IllegalStateException.class)
            .isThrownBy(early::run)
            .withMessageContaining("transfer it first");
      }
    }
  }

  @Test
  void whatIsNotThereCannotBeTransferred() {
    Node w = Node.hosted("w", dev.rialto.spi.data.DType.F32, 2);
    try (JitBackend backend = Machines.open("sync_jvm");
        Context empty = backend.newDevice(0).context();
        Context full = backend.newDevice(0).context().with(Set.of(w))) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> full.transfer(w, Merge.COPY, empty))
          .withMessageContaining("w is not in the context on sync_jvm:0.0");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> empty.transfer(w, Merge.NONE, full))
          .withMessageContaining("w is not in the context on sync_jvm:0.0");
    }
  }
}
