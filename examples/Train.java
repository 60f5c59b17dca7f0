import dev.rialto.array.Rialto;
import dev.rialto.array.Team;
import dev.rialto.jit.Gradient;
import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.run.Compiled;
import dev.rialto.jit.run.Context;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.jit.run.Routine;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.system.Arguments;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Trains a small network to tell two half moons apart, data-parallel: each rank has some of the
 * points and the whole network. A step computes the loss and its gradient on each rank, in code
 * that was compiled from the program below, and adds the gradients of all ranks.
 *
 * <p>Arguments: steps; then {@code --ranks}, {@code --comm}, {@code --device opencl:0}, and for the
 * host's cores {@code --target cc}. On any ranks and device the same network comes out, but for
 * rounding.
 */
final class Train {
  private static final int POINTS = 480;
  private static final int HIDDEN = 16;
  private static final double RATE = 0.05;

  private static final String NETWORK =
      """
      input points f32[%1$d, 2]
      input classes f32[%1$d]
      input w1 f32[%2$d, 2]
      input b1 f32[%2$d]
      input w2 f32[%2$d]
      input b2 f32[1]
      sum1[n, o] += w1[o, i] * points[n, i]
      hidden[n, o] = tanh(sum1[n, o] + b1[o])
      sum2[n] += w2[o] * hidden[n, o]
      output score[n] = sum2[n] + b2[0]
      miss[n] = score[n] - classes[n]
      output loss[] += miss[n] * miss[n]
      """;

  public static void main(String[] args) {
    Arguments words = Arguments.of(args);
    int steps = words.number(0, 600);
    String target = words.option("--target", "jvm");
    Rialto.run(args, team -> train(team, steps, target));
  }

  private static void train(Team team, int steps, String target) {
    Communicator comm = team.communicator();
    int first = (int) ((long) POINTS * comm.rank() / comm.size());
    int mine = (int) ((long) POINTS * (comm.rank() + 1) / comm.size()) - first;
    Program network = Program.parse("moons", NETWORK.formatted(mine, HIDDEN));
    Set<Node> parameters = new LinkedHashSet<>();
    for (String name : List.of("w1", "b1", "w2", "b2")) {
      parameters.add(network.node(name));
    }
    Gradient gradient = Gradient.of(network, network.node("loss"), parameters);

    // On the host one thread for each rank: the ranks are what is parallel.
    try (JitBackend machine = JitBackend.on(team.client(), "sync_" + target);
        Compiled compiled = machine.compile(network.then(gradient.program()));
        Context root = machine.newDevice(team.client()).context();
        Routine step = machine.link(root, compiled);
        Context context = step.context()) {
      double[] points = new double[2 * mine];
      double[] classes = new double[mine];
      moons(first, points, classes);
      context.write(network.node("points"), points);
      context.write(network.node("classes"), classes);
      SplittableRandom random = new SplittableRandom(1);
      Map<Node, double[]> values = new LinkedHashMap<>();
      for (Node parameter : parameters) {
        double[] start = new double[(int) parameter.shape().count()];
        Arrays.setAll(start, _ -> random.nextDouble(-1, 1));
        values.put(parameter, start);
      }

      double begin = 0;
      double loss = 0;
      for (int i = 0; i <= steps; i++) {
        values.forEach(context::write);
        step.run();
        loss = comm.sum(context.read(network.node("loss")))[0] / POINTS;
        begin = i == 0 ? loss : begin;
        for (Map.Entry<Node, double[]> each : values.entrySet()) {
          double[] slope = comm.sum(context.read(gradient.of().get(each.getKey())));
          for (int k = 0; k < slope.length && i < steps; k++) {
            each.getValue()[k] -= RATE / POINTS * slope[k];
          }
        }
      }

      double[] scores = context.read(network.node("score"));
      double right = 0;
      for (int n = 0; n < mine; n++) {
        right += scores[n] * classes[n] > 0 ? 1 : 0;
      }
      right = comm.sum(right) / POINTS;
      team.print(
          "%d points, %d ranks, %d steps by %s: loss %.3f to %.3f, %.1f %% told apart"
              .formatted(POINTS, comm.size(), steps, machine.name(), begin, loss, 100 * right));
      if (steps >= 600 && !(right > 0.95 && loss < begin)) {
        throw new IllegalStateException("it has not learnt: loss " + loss);
      }
    }
  }

  /** Points on two arcs that reach into one another, and which arc each is on. */
  private static void moons(int first, double[] points, double[] classes) {
    for (int n = 0; n < classes.length; n++) {
      SplittableRandom random = new SplittableRandom(first + n);
      double angle = random.nextDouble(Math.PI);
      boolean upper = (first + n) % 2 == 0;
      points[2 * n] =
          (upper ? Math.cos(angle) : 1 - Math.cos(angle)) + random.nextDouble(-0.1, 0.1);
      points[2 * n + 1] =
          (upper ? Math.sin(angle) : 0.5 - Math.sin(angle)) + random.nextDouble(-0.1, 0.1);
      classes[n] = upper ? 1 : -1;
    }
  }
}
