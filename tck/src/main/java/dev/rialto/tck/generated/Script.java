package dev.rialto.tck.generated;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.generated.NeighborStep.Edge;
import dev.rialto.tck.generated.NeighborStep.Exchange;
import dev.rialto.tck.generated.Step.Form;
import dev.rialto.tck.generated.traffic.TrafficDraw;
import dev.rialto.tck.generated.traffic.Way;
import dev.rialto.tck.generated.window.WindowDraw;
import dev.rialto.tck.reference.ReductionReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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

  /** Counts of elements around what backends treat differently, where they are not drawn. */
  private static final long[] COUNTS = {129, 0, 1, 7, 1025};

  /** Lengths of messages around what backends treat differently. */
  private static final long[] LENGTHS = {8, 9, 63, 64, 65, 1023, 4097, 65_536, 65_543, 1_048_593};

  private static final Size ANY = Size.upTo(1 << 13);
  private static final Size LONG = Size.exactly(65_543);

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
  private final List<Contribution> operators = new ArrayList<>();
  private final Map<Kind, Draw.Deck<Contribution>> contributions = new EnumMap<>(Kind.class);

  /**
   * The type of numbers and the operator that combines them.
   *
   * @param type of elements
   * @param op what combines them
   */
  public record Contribution(DType type, ReduceOp op) {}

  public Script(long seed, Communicator comm) {
    this.draw = new Draw(seed);
    this.part = comm.size() == 1 ? ALONE : 1;
    this.capabilities = comm.capabilities();
    this.world = Group.world(comm.size());
    groups.add(world);
    traffic = new TrafficDraw(draw, capabilities, Math.min(comm.maxTag(), Integer.MAX_VALUE - 1));
    windows = new WindowDraw(draw, capabilities);
    types = new Draw.Deck<>(draw, List.of(DType.values()));
    for (DType type : numbers(capabilities)) {
      ReductionReference.operators(type).forEach(op -> operators.add(new Contribution(type, op)));
      if (has(Capability.USER_OPERATORS)) {
        operators.add(new Contribution(type, ReductionReference.FIRST));
        operators.add(new Contribution(type, ReductionReference.LAST));
      }
    }
    if (has(Capability.USER_OPERATORS)) {
      operators.add(new Contribution(DType.I64, ReductionReference.COMPOSE));
    }
    for (Kind kind : Kind.COMBINING) {
      contributions.put(kind, new Draw.Deck<>(draw, operators));
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

  /** Adds messages from each rank to one so many on: of each type and of lengths that matter. */
  public Script toNext(Way way, int shift) {
    for (DType type : DType.values()) {
      for (long count : COUNTS) {
        steps.add(traffic.toNext(world, way, shift, type, Size.exactly(type.bytes(count))));
      }
    }
    for (long length : LENGTHS) {
      steps.add(traffic.toNext(world, way, shift, DType.I8, Size.exactly(length)));
    }
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
      for (Kind kind : Kind.MOVING) {
        for (Form form : forms) {
          Group group = group();
          Size each = kind == Kind.BROADCAST ? size : size.part(group.size());
          int root = draw.below(group.size());
          steps.add(CollectiveStep.draw(draw, group, kind, form, types.get(), each, root, heap()));
        }
      }
    }
    return this;
  }

  /** Adds one collective with each type, root and some lengths: none, one, few, many and any. */
  public Script collective(Kind kind, Form form) {
    int n = world.size();
    int cases = Math.max(DType.values().length, n);
    for (int i = 0; i < cases; i++) {
      DType type = types.get();
      Size fixed = Size.exactly(type.bytes(COUNTS[i % COUNTS.length]));
      for (Size size : List.of(fixed, ANY)) {
        steps.add(CollectiveStep.draw(draw, world, kind, form, type, size, i % n, heap()));
      }
    }
    steps.add(CollectiveStep.draw(draw, world, kind, form, DType.I8, LONG, n - 1, heap()));
    return this;
  }

  /** Adds one reduction with each type and operator that is wanted. */
  public Script reduction(Kind kind, Form form, boolean inPlace, Predicate<Contribution> wanted) {
    int cases = 0;
    for (Contribution each : operators) {
      if (wanted.test(each)) {
        long count = COUNTS[cases++ % COUNTS.length];
        for (Size size : List.of(Size.exactly(each.type.bytes(count)), ANY)) {
          reduction(kind, form, each, size, inPlace);
        }
      }
    }
    return this;
  }

  /** Adds one sum of vectors so long that ranks share the work. */
  public Script longSum(Kind kind) {
    Contribution sum = new Contribution(DType.F64, ReduceOp.SUM);
    reduction(kind, Form.BLOCKING, sum, Size.exactly(DType.F64.bytes(131_075)), false);
    return this;
  }

  private void reduction(Kind kind, Form form, Contribution of, Size size, boolean inPlace) {
    steps.add(ReductionStep.draw(draw, group(), kind, form, of.type, of.op, size, inPlace, heap()));
  }

  /** Adds exchanges, in each type and of several lengths, along each of some graphs. */
  public Script exchanges(Form form, Collection<Kind> kinds) {
    int n = world.size();
    List<List<Edge>> graphs = new ArrayList<>();
    List<Edge> ring = IntStream.range(0, n).mapToObj(i -> new Edge(i, (i + 1) % n)).toList();
    List<Edge> self = IntStream.range(0, n).mapToObj(i -> new Edge(i, i)).toList();
    graphs.add(List.of());
    graphs.add(ring);
    graphs.add(self);
    graphs.add(IntStream.range(0, n).mapToObj(i -> new Edge(0, i)).toList());
    graphs.add(Stream.of(ring, self, ring).flatMap(List::stream).toList());
    for (int i = 0; i < 4; i++) {
      graphs.add(NeighborStep.randomEdges(draw, n));
    }
    for (List<Edge> edges : graphs) {
      List<Exchange> exchanges = new ArrayList<>();
      for (Kind kind : kinds) {
        for (int i = 0; i < DType.values().length; i++) {
          DType type = types.get();
          Size fixed = Size.exactly(type.bytes(COUNTS[i % COUNTS.length]));
          exchanges.add(
              Exchange.draw(
                  draw, world, edges, kind, form, type, i % 2 == 0 ? fixed : ANY, heap()));
        }
      }
      steps.add(new NeighborStep(world, edges, draw.order(edges.size()), exchanges));
    }
    return this;
  }

  /** Adds each reduction with each type and operator, so many times. */
  Script reductions(int times, Size size, List<Form> forms) {
    for (int i = 0; i < partOf(times); i++) {
      for (Map.Entry<Kind, Draw.Deck<Contribution>> each : contributions.entrySet()) {
        reduction(each.getKey(), draw.of(forms), each.getValue().get(), size, draw.once(3));
      }
    }
    return this;
  }

  /** Returns how many reductions of one kind there must be to see all types and operators. */
  int allContributions() {
    return operators.size();
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
  public Script shuffledFrom(int first) {
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
  public void run(Communicator comm, Coverage coverage, long seed) throws Exception {
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
