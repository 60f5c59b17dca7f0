package dev.rialto.tck.generated;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.generated.Step.Form;
import dev.rialto.tck.generated.traffic.TrafficDraw;
import dev.rialto.tck.generated.window.WindowDraw;
import dev.rialto.tck.reference.ReductionReference;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * A random program of all ranks: steps that each rank does its part of, in the same order.
 *
 * <p>What a step begins may be completed some steps later, at the same place on all ranks, but
 * there in an order of each rank's own. Now and then a rank comes late.
 */
public final class Script {
  private static final int MOST_PENDING = 6;
  private static final int LATE_NANOS = 400_000;
  private static final int LATE_ONCE_IN = 60;

  /** A rank that is alone has none to be out of step with, and does this part of a program. */
  private static final int ALONE = 4;

  private record Due(Step step, int number, Step.Completion rest) {}

  private final Draw draw;
  private final int part;
  private final Set<Capability> capabilities;
  private final Group world;
  private final List<Group> groups = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private final TrafficDraw traffic;
  private final WindowDraw windows;
  private final Draw.Deck<DType> types;
  private final Map<ReductionStep.Kind, Draw.Deck<Contribution>> contributions =
      new EnumMap<>(ReductionStep.Kind.class);

  private record Contribution(DType type, ReduceOp op) {}

  Script(long seed, Communicator comm) {
    this.draw = new Draw(seed);
    this.part = comm.size() == 1 ? ALONE : 1;
    this.capabilities = comm.capabilities();
    this.world = Group.world(comm.size());
    groups.add(world);
    traffic = new TrafficDraw(draw, capabilities, Math.min(comm.maxTag(), Integer.MAX_VALUE - 1));
    windows = new WindowDraw(draw, capabilities);
    types = new Draw.Deck<>(draw, List.of(DType.values()));
    List<Contribution> all = new ArrayList<>();
    for (DType type : numbers(capabilities)) {
      ReductionReference.operators(type).forEach(op -> all.add(new Contribution(type, op)));
      if (has(Capability.USER_OPERATORS)) {
        all.add(new Contribution(type, ReductionReference.FIRST));
        all.add(new Contribution(type, ReductionReference.LAST));
      }
    }
    if (has(Capability.USER_OPERATORS)) {
      all.add(new Contribution(DType.I64, ReductionReference.COMPOSE));
    }
    for (ReductionStep.Kind kind : ReductionStep.Kind.values()) {
      contributions.put(kind, new Draw.Deck<>(draw, all));
    }
  }

  /** Returns the types that numbers can be combined in. */
  public static List<DType> numbers(Set<Capability> capabilities) {
    List<DType> types = new ArrayList<>(List.of(DType.values()));
    types.removeIf(type -> !type.hasReductions());
    if (!capabilities.contains(Capability.HALF_REDUCTIONS)) {
      types.removeAll(List.of(DType.F16, DType.BF16));
    }
    return types;
  }

  Draw draw() {
    return draw;
  }

  boolean has(Capability capability) {
    return capabilities.contains(capability);
  }

  private boolean heap() {
    return has(Capability.HEAP_BUFFERS);
  }

  /** Returns one of the communicators there are by now. */
  private Group group() {
    return draw.of(groups);
  }

  private int partOf(int times) {
    return Math.ceilDiv(times, part);
  }

  Script messages(int times, Size size) {
    for (int i = 0; i < partOf(times); i++) {
      steps.add(traffic.few(group(), size));
    }
    return this;
  }

  Script message(Size size) {
    steps.add(traffic.one(group(), size));
    return this;
  }

  Script similarTags(int times) {
    for (int i = 0; i < partOf(times); i++) {
      steps.add(traffic.similarTags(group()));
    }
    return this;
  }

  Script queue(int messages) {
    steps.add(traffic.queue(group(), partOf(messages)));
    return this;
  }

  Script collectives(int times, Size size, List<Form> forms) {
    for (int i = 0; i < partOf(times); i++) {
      for (CollectiveStep.Kind kind : CollectiveStep.Kind.values()) {
        for (Form form : forms) {
          Group group = group();
          Size each = kind == CollectiveStep.Kind.BROADCAST ? size : size.part(group.size());
          steps.add(CollectiveStep.draw(draw, group, kind, form, types.get(), each, heap()));
        }
      }
    }
    return this;
  }

  /** Adds each reduction with each type and operator, so many times. */
  Script reductions(int times, Size size, List<Form> forms) {
    for (int i = 0; i < partOf(times); i++) {
      for (Map.Entry<ReductionStep.Kind, Draw.Deck<Contribution>> each : contributions.entrySet()) {
        Contribution next = each.getValue().get();
        steps.add(
            ReductionStep.draw(
                draw, group(), each.getKey(), draw.of(forms), next.type, next.op, size, heap()));
      }
    }
    return this;
  }

  /** Returns how many reductions of one kind there must be to see all types and operators. */
  int allContributions() {
    return contributions.values().iterator().next().size();
  }

  Script neighborhoods(int times, Size size) {
    for (int i = 0; i < partOf(times); i++) {
      steps.add(NeighborStep.draw(draw, group(), capabilities, size));
    }
    return this;
  }

  Script windows(int times, Size size) {
    for (int i = 0; i < partOf(times); i++) {
      steps.add(windows.draw(group(), size));
    }
    return this;
  }

  Script largeWindow(long bytes) {
    steps.add(windows.large(group(), bytes));
    return this;
  }

  /** Makes communicators from random ones there are, and keeps them. */
  Script divide(int times) {
    for (int i = 0; i < times; i++) {
      divide(group(), draw.of(List.of(DivideStep.How.values())));
    }
    return this;
  }

  /** Makes a chain of duplicates, each from the one before. */
  Script nest(int levels) {
    Group last = world;
    for (int i = 0; i < levels; i++) {
      last = divide(last, DivideStep.How.DUP).getFirst();
    }
    return this;
  }

  private List<Group> divide(Group from, DivideStep.How how) {
    DivideStep step = DivideStep.draw(draw, from, how);
    steps.add(step);
    groups.addAll(step.made());
    return step.made();
  }

  Script close(int times) {
    for (int i = 0; i < times && groups.size() > 1; i++) {
      steps.add(new CloseStep(groups.remove(1 + draw.below(groups.size() - 1))));
    }
    return this;
  }

  /** Mixes the order of the steps added since; for steps that make or close nothing. */
  Script shuffledFrom(int first) {
    draw.shuffle(steps.subList(first, steps.size()));
    return this;
  }

  int length() {
    return steps.size();
  }

  List<Group> groups() {
    return groups;
  }

  void add(Step step) {
    steps.add(step);
  }

  /** Does one rank's part. */
  void run(Communicator comm, Coverage coverage, long seed) throws Exception {
    RankRun run = new RankRun(comm, world, seed);
    if (comm.rank() == 0) {
      steps.forEach(step -> step.cover(coverage));
    }
    Draw when = new Draw(seed + 1);
    List<Due> pending = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      boolean completes = step instanceof CloseStep || when.once(MOST_PENDING);
      if (completes) {
        finish(pending, run);
      }
      if (!run.isIn(step.group())) {
        continue;
      }
      if (run.own.once(LATE_ONCE_IN)) {
        LockSupport.parkNanos(run.own.below(LATE_NANOS));
      }
      try {
        Step.Completion rest = step.begin(run);
        if (rest != null) {
          pending.add(new Due(step, i, rest));
        }
      } catch (Exception | AssertionError e) {
        throw failure(step, i, e);
      }
    }
    finish(pending, run);
    for (int i = groups.size() - 1; i > 0; i--) {
      if (run.isIn(groups.get(i))) {
        run.remove(groups.get(i)).close();
      }
    }
  }

  private void finish(List<Due> pending, RankRun run) {
    run.own.shuffle(pending);
    for (Due due : pending) {
      try {
        due.rest.finish();
      } catch (Exception | AssertionError e) {
        throw failure(due.step, due.number, e);
      }
    }
    pending.clear();
  }

  private RuntimeException failure(Step step, int number, Throwable e) {
    throw Failures.in(
        "step %s of %s on %s of %s ranks, %s"
            .formatted(
                number, steps.size(), step.group().path(), step.group().size(), step.describe()),
        e);
  }
}
