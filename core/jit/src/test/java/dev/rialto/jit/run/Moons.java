package dev.rialto.jit.run;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Gradient;
import dev.rialto.jit.Node;
import dev.rialto.jit.Op;
import dev.rialto.jit.Program;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The half-moons classifier: data, network, gradients and steps, from its recipe. */
final class Moons {
  static final int BATCHES = 20;
  private static final int SIZE = 120;

  private static final String NETWORK =
      """
      static batch 20
      input points f32[20, 120, 2]
      input classes f32[20, 120]
      input w1 f32[16, 2]
      input b1 f32[16]
      input w2 f32[16, 16]
      input b2 f32[16]
      input w3 f32[1, 16]
      input b3 f32[1]
      s1[n, o] += w1[o, i] * points[batch, n, i]
      h1[n, o] = relu(s1[n, o] + b1[o])
      s2[n, o] += w2[o, i] * h1[n, i]
      h2[n, o] = relu(s2[n, o] + b2[o])
      s3[n, o] += w3[o, i] * h2[n, i]
      margin[n] = relu(1 - classes[batch, n] * (s3[n, 0] + b3[0]))
      sum[] += margin[n]
      output loss[] = sum[] / 120
      """;

  private int state = 1;

  private int next() {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  }

  private double real(double low, double high) {
    return Math.floorMod(next(), 10000) / 10000.0 * (high - low) + low;
  }

  private final double[] points = new double[BATCHES * SIZE * 2];
  private final double[] classes = new double[BATCHES * SIZE];

  private Moons() {
    int length = BATCHES * SIZE;
    for (int k = 0; k < length; k++) {
      double v = Math.floorMod(next(), length) * Math.PI / length;
      double n4 = real(-0.1, 0.1);
      double n3 = real(-0.1, 0.1);
      double n2 = real(-0.1, 0.1);
      double n1 = real(-0.1, 0.1);
      double[] both = {
        Math.cos(v) + n1, Math.sin(v) + n2, 1 - Math.cos(v) + n3, 0.5 - Math.sin(v) + n4
      };
      if (2 * k < length) {
        System.arraycopy(both, 0, points, 4 * k, 4);
        classes[2 * k] = 1;
        classes[2 * k + 1] = -1;
      }
    }
  }

  private static double[] parameter(int count) {
    Moons random = new Moons(2);
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      values[i] = random.real(0, 1);
    }
    return values;
  }

  private Moons(int state) {
    this.state = state;
  }

  private static ScalarExpression times(ScalarExpression a, ScalarExpression b) {
    return ScalarExpression.apply(Op.MUL, a, b);
  }

  /** p -= rate · (p.grad + 0.0002 p), the rate falling with each step. */
  private static Assign update(Node p, Node grad, StaticIndex step) {
    List<Affine> index = new ArrayList<>();
    for (int axis = 0; axis < p.shape().rank(); axis++) {
      index.add(Affine.of(new Iter("i" + axis, p.shape().extent(axis))));
    }
    ScalarExpression old = new ScalarExpression.Read(p, index, false);
    ScalarExpression left =
        new ScalarExpression.Position(DType.F32, Affine.of(step).times(-1).plus(800));
    ScalarExpression rate = times(new ScalarExpression.Const(DType.F32, (float) (0.1 / 400)), left);
    ScalarExpression decay = times(new ScalarExpression.Const(DType.F32, 0.0002), old);
    ScalarExpression slope =
        ScalarExpression.apply(Op.ADD, new ScalarExpression.Read(grad, index, false), decay);
    return Assign.of(
        p, index, Accum.SET, false, ScalarExpression.apply(Op.SUB, old, times(rate, slope)));
  }

  /** Trains and returns the loss of each epoch. */
  static double[] train(JitBackend backend, int epochs) {
    Program network = Program.parse("moons", NETWORK);
    Set<Node> parameters = new LinkedHashSet<>();
    for (String name : List.of("w1", "b1", "w2", "b2", "w3", "b3")) {
      parameters.add(network.node(name));
    }
    Gradient gradient = Gradient.of(network, network.node("loss"), parameters);
    StaticIndex step = new StaticIndex("step", 400);
    List<Assign> updates = new ArrayList<>();
    parameters.forEach(p -> updates.add(update(p, gradient.of().get(p), step)));
    Program descent = network.then(gradient.program()).then(new Program("step", updates));
    StaticIndex batch =
        descent.statics().stream().filter(s -> s.name().equals("batch")).findFirst().orElseThrow();
    try (Compiled compiled = backend.compile(descent);
        Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled);
        Context context = routine.context()) {
      Moons moons = new Moons();
      context.write(network.node("points"), moons.points);
      context.write(network.node("classes"), moons.classes);
      for (Node p : parameters) {
        context.write(p, parameter((int) p.shape().count()));
      }
      double[] losses = new double[epochs];
      for (int epoch = 0; epoch < epochs; epoch++) {
        for (int b = 0; b < BATCHES; b++) {
          routine.bind(batch, b).bind(step, (long) epoch * BATCHES + b).run();
          losses[epoch] += context.read(network.node("loss"))[0];
        }
      }
      return losses;
    }
  }
}
