package dev.rialto.jit.lower;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Mode;
import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.jit.loops.Cse;
import dev.rialto.jit.loops.Hoist;
import dev.rialto.jit.loops.IndexBounds;
import dev.rialto.jit.loops.LoopsPrinter;
import dev.rialto.jit.loops.Simplify;
import dev.rialto.jit.loops.Simplify.Contraction;
import dev.rialto.jit.loops.Tidy;
import dev.rialto.jit.lower.Lowered.Slot;
import dev.rialto.jit.lower.Lowered.Stage;
import dev.rialto.jit.lower.Options.Feature;
import dev.rialto.jit.lower.arithmetic.LargeAngles;
import dev.rialto.jit.lower.nest.AutoSchedule;
import dev.rialto.jit.lower.program.DeadCode;
import dev.rialto.jit.lower.program.Fuse;
import dev.rialto.jit.lower.program.Inline;
import dev.rialto.jit.lower.program.Normalize;
import dev.rialto.jit.lower.threads.BlockSum;
import dev.rialto.jit.lower.threads.MatrixProduct;
import dev.rialto.jit.lower.threads.ThreadTiles;
import dev.rialto.jit.lower.threads.Threads;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.device.DeviceProperties;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Runs the passes in order: program → virtual nodes gone → groups with schedules → loops. */
public final class Pipeline {
  private final Program program;
  private final Options options;
  private final Set<Node> inputs;
  private final ThreadProcedures threads;
  private final List<Stage> stages = new ArrayList<>();

  private Pipeline(Program program, Options options) {
    this.program = program;
    this.options = options;
    this.inputs = program.inputs();
    this.threads = new ThreadProcedures(options, inputs);
  }

  /**
   * Lowers a program. Where its nodes live is settled for this program alone; nodes stay as they
   * are.
   *
   * @throws IllegalStateException if a node is needed in a place where it must not be
   */
  public static Lowered run(Program program, Options options) {
    return new Pipeline(program, options).run();
  }

  /** Returns whether a device has the blocks and the memory that sums and products take. */
  public static boolean hasBlocks(DeviceProperties device) {
    return device.maxBlock() >= MatrixProduct.BLOCK
        && device.sharedBytes() >= MatrixProduct.SHARED_BYTES;
  }

  private Lowered run() {
    for (Node node : inputs) {
      node.require(
          Mode.inContext(), "program " + program.name() + " reads it before it assigns it");
    }
    for (Node node : program.assigned()) {
      EnumSet<Mode> changed = EnumSet.complementOf(EnumSet.of(Mode.CONSTANT, Mode.VOLATILE));
      if (inputs.contains(node)) {
        changed.retainAll(Mode.inContext());
      }
      node.require(changed, "program " + program.name() + " assigns it");
    }
    stage("program", program::toString);
    Inline.Result inlined = inline(program, options);
    List<Assign> before = inlined.assigns();
    if (options.optimize()) {
      stage("inlined", () -> new Program(program.name(), before).toString());
    }
    List<Assign> assigns =
        options.optimize() && options.fast() && options.has(Feature.BLOCKS)
            ? before.stream()
                .flatMap(a -> (BlockSum.is(a) ? BlockSum.split(a) : List.of(a)).stream())
                .toList()
            : before;
    List<Schedule> schedules = new ArrayList<>();
    for (Assign a : assigns) {
      schedules.add(schedule(a));
    }
    List<Fuse.Group> groups = groups(assigns, schedules);
    stage("schedule", () -> print(groups));
    List<Procedure> procedures = new ArrayList<>();
    List<List<Slot>> slots = new ArrayList<>();
    List<StaticIndex> statics = List.copyOf(program.statics());
    Map<Node, Integer> touches = ThreadProcedures.touches(assigns);
    for (Fuse.Group group : groups) {
      Parameters parameters = new Parameters(statics);
      String name = program.name() + "_" + procedures.size();
      procedures.add(
          options.optimize() && options.threads()
              ? threads.procedure(group, touches, name, parameters)
              : new HostProcedures(options).procedure(group, name, parameters));
      slots.add(parameters.slots());
    }
    Set<Node> context = new LinkedHashSet<>();
    Set<Node> scratch = new LinkedHashSet<>();
    settle(assigns, context, scratch);
    stage("modes", () -> modes(inlined.reasons(), context, scratch));
    stage("loops", () -> LoopsPrinter.print(procedures));
    return new Lowered(
        program.name(), procedures, slots, context, scratch, program.merged(), statics, stages);
  }

  /** The assignments that are left to run, and why nodes are where they are. */
  static Inline.Result inline(Program program, Options options) {
    List<Assign> assigns = Normalize.apply(program.assigns());
    if (!options.optimize()) {
      return new Inline.Result(assigns, Map.of());
    }
    Inline.Result inlined = Inline.apply(assigns, program.inputs());
    return new Inline.Result(
        DeadCode.apply(inlined.assigns(), program.inputs()), inlined.reasons());
  }

  private List<Fuse.Group> groups(List<Assign> assigns, List<Schedule> schedules) {
    if (!options.optimize()) {
      return assigns.stream()
          .map(a -> new Fuse.Group(List.of(a), List.of(Schedule.PLAIN), null))
          .toList();
    }
    return options.threads()
        ? new Threads(options.fast(), options.has(Feature.WIDE_ATOMICS))
            .group(assigns, schedules, threads::hasOwnKernel)
        : Fuse.apply(assigns, schedules);
  }

  private void stage(String name, Supplier<String> text) {
    stages.add(new Stage(name, text));
  }

  private Schedule schedule(Assign a) {
    Schedule given = options.schedules().get(a.target().name());
    if (given == null) {
      return AutoSchedule.of(a, options);
    }
    if (options.threads() && ThreadTiles.isOne(given)) {
      ThreadTiles tiles = ThreadTiles.of(a, given, options.fast());
      return tiles.axes().isEmpty() ? tiles.inThread() : given;
    }
    if (!given.of(Schedule.Vector.class).isEmpty() && !AutoSchedule.fits(a, options)) {
      throw given.refused(a, "vectors of this target are for arithmetic alone");
    }
    return given;
  }

  /** Nodes that vanished are virtual; the others live in the context if they are seen outside. */
  private void settle(List<Assign> assigns, Set<Node> context, Set<Node> scratch) {
    Set<Node> left = new LinkedHashSet<>();
    for (Assign a : assigns) {
      a.reads().stream().filter(r -> !r.merged()).forEach(r -> left.add(r.node()));
      left.add(a.target());
    }
    Set<Node> known = program.nodes();
    for (Node node : known) {
      if (left.contains(node)) {
        (DeadCode.isSeenOutside(node, inputs) ? context : scratch).add(node);
      }
    }
    left.removeAll(known);
    scratch.addAll(left);
  }

  /** Prints the place of each node, and why it is there. */
  private String modes(Map<Node, String> reasons, Set<Node> context, Set<Node> scratch) {
    StringBuilder text = new StringBuilder();
    for (Node node : program.nodes()) {
      String place = scratch.contains(node) ? "local" : context.contains(node) ? "" : "virtual";
      text.append(node).append(": ");
      if (place.isEmpty()) {
        text.append(node.provenance());
      } else {
        text.append(place)
            .append(" because ")
            .append(reasons.getOrDefault(node, "nothing was optimized"));
      }
      text.append('\n');
    }
    return text.toString();
  }

  private static String print(List<Fuse.Group> groups) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < groups.size(); i++) {
      Fuse.Group group = groups.get(i);
      text.append("procedure ").append(i).append('\n');
      for (int k = 0; k < group.assigns().size(); k++) {
        text.append("  ").append(group.assigns().get(k)).append('\n');
        text.append("    ").append(group.schedules().get(k)).append('\n');
      }
    }
    return text.toString();
  }

  static Stmt polish(Stmt body, Options options) {
    if (!options.optimize()) {
      return body;
    }
    Stmt s = Simplify.apply(IndexBounds.apply(body));
    s = Cse.apply(s);
    s = Hoist.apply(options.threads() ? s : Cse.apply(LargeAngles.apply(s)));
    s = Tidy.apply(s);
    return options.fast() ? Simplify.fast(s, Contraction.ALL) : s;
  }
}
