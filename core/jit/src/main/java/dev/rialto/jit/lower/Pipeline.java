package dev.rialto.jit.lower;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Mode;
import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.jit.loops.Cse;
import dev.rialto.jit.loops.Hoist;
import dev.rialto.jit.loops.Intervals;
import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.loops.LoopsPrinter;
import dev.rialto.jit.loops.Simplify;
import dev.rialto.jit.loops.Tidy;
import dev.rialto.jit.lower.Lowered.Slot;
import dev.rialto.jit.lower.Lowered.Stage;
import dev.rialto.jit.lower.Options.Feature;
import dev.rialto.jit.lower.arithmetic.Arithmetic;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.jit.lower.nest.AutoSchedule;
import dev.rialto.jit.lower.nest.Lowering;
import dev.rialto.jit.lower.program.DeadCode;
import dev.rialto.jit.lower.program.Fuse;
import dev.rialto.jit.lower.program.Inline;
import dev.rialto.jit.lower.program.Normalize;
import dev.rialto.jit.lower.threads.BlockSum;
import dev.rialto.jit.lower.threads.MatrixProduct;
import dev.rialto.jit.lower.threads.Packs;
import dev.rialto.jit.lower.threads.ProductTiles;
import dev.rialto.jit.lower.threads.ThreadTiles;
import dev.rialto.jit.lower.threads.Threads;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.device.DeviceProperties;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/** Runs the passes in order: program → virtual nodes gone → groups with schedules → loops. */
public final class Pipeline {
  /** Work, in operations, that is worth handing to another thread. */
  private static final long WORTH_A_THREAD = 40_000;

  private final Program program;
  private final Options options;
  private final Set<Node> inputs;
  private final List<Stage> stages = new ArrayList<>();

  private Pipeline(Program program, Options options) {
    this.program = program;
    this.options = options;
    this.inputs = program.inputs();
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
    Map<Node, Integer> touches = touches(assigns);
    for (Fuse.Group group : groups) {
      Parameters parameters = new Parameters(statics);
      procedures.add(
          options.optimize() && options.threads()
              ? threads(group, touches, procedures.size(), parameters)
              : procedure(group, procedures.size(), parameters));
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
            .group(assigns, schedules, this::hasOwnKernel)
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
      throw new IllegalArgumentException(
          "the schedule '%s' does not fit %s: vectors of this target are for arithmetic alone"
              .formatted(given, a));
    }
    return given;
  }

  /** Nodes that vanished are virtual; the others live in the context if anyone else sees them. */
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

  /** Where each node lives, and why. */
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

  /** Collects the buffers that a procedure's code asks for. */
  private static final class Parameters {
    private final Map<Slot, Buffer> buffers = new LinkedHashMap<>();
    private final Set<String> names = new LinkedHashSet<>();
    private final List<StaticIndex> statics;

    Parameters(List<StaticIndex> statics) {
      this.statics = statics;
    }

    Buffer of(Node node, boolean merged) {
      return buffers.computeIfAbsent(
          merged ? new Slot.Merge(node) : new Slot.OfNode(node),
          _ -> {
            Buffer.Storage storage = Arithmetic.storage(node.type());
            String stem = node.name().replace('.', '_') + (merged ? "_merge" : "");
            long elements = node.bytes() / storage.bytes();
            return new Buffer(unique(stem), storage, elements, false);
          });
    }

    private String unique(String stem) {
      String name = stem;
      for (int i = 2; !names.add(name); i++) {
        name = stem + "_" + i;
      }
      return name;
    }

    Map<Symbol, Expr> statics(Emitter out) {
      Map<Symbol, Expr> values = new HashMap<>();
      if (!statics.isEmpty()) {
        Buffer buffer =
            buffers.computeIfAbsent(
                new Slot.Statics(),
                _ -> new Buffer(unique("statics"), Buffer.Storage.I64, statics.size(), false));
        for (int i = 0; i < statics.size(); i++) {
          values.put(statics.get(i), out.let(new Expr.Load(buffer, Expr.of(i), 1)));
        }
      }
      return values;
    }

    List<Slot> slots() {
      return List.copyOf(buffers.keySet());
    }
  }

  private Procedure procedure(Fuse.Group group, int number, Parameters parameters) {
    Emitter.Names names = new Emitter.Names();
    Emitter out = new Emitter(names);
    Var begin = new Var("begin", Type.I64);
    Var end = new Var("end", Type.I64);
    Map<Symbol, Expr> statics = parameters.statics(out);
    long items = 1;
    long multiple = 1;
    long work = 0;
    if (group.shared() == null) {
      Lowering lowering =
          new Lowering(
              group.assigns().get(0),
              group.schedules().get(0),
              options.fast(),
              statics,
              parameters::of);
      lowering.emit(out);
    } else {
      items = group.shared().get(0).size();
      boolean rows = group.assigns().size() > 1 && isByRows(group);
      Var row = names.fresh("row", Type.I64);
      Emitter body = rows ? out.nested() : out;
      for (int i = 0; i < group.assigns().size(); i++) {
        Assign a = group.assigns().get(i);
        Iter shared = group.shared().get(i);
        Schedule schedule = group.schedules().get(i);
        Lowering lowering = new Lowering(a, schedule, options.fast(), statics, parameters::of);
        if (rows) {
          lowering.fix(shared, row);
        } else {
          lowering.limit(shared, begin, end);
          multiple =
              Math.max(
                  multiple, (long) schedule.unroll(shared.name()) * schedule.lanes(shared.name()));
        }
        lowering.emit(body);
        work += work(a, shared);
      }
      if (rows) {
        out.add(new Stmt.For(row, begin, end, 1, body.block()));
      }
    }
    Stmt body = polish(out.block());
    long atLeast = Math.max(1, WORTH_A_THREAD / Math.max(1, work));
    return new Procedure(
        program.name() + "_" + number,
        parameters.slots().stream().map(s -> requireNonNull(parameters.buffers.get(s))).toList(),
        items,
        new Procedure.Grain(multiple, (atLeast + multiple - 1) / multiple * multiple),
        begin,
        end,
        body);
  }

  /** How many assignments touch each node. */
  private static Map<Node, Integer> touches(List<Assign> assigns) {
    Map<Node, Integer> touches = new HashMap<>();
    for (Assign a : assigns) {
      Fuse.nodes(a).forEach(node -> touches.merge(node, 1, Integer::sum));
    }
    return touches;
  }

  /** The nodes that nothing but a group sees, with elements that are in memory what they are. */
  private Set<Node> own(Fuse.Group group, Map<Node, Integer> all) {
    Map<Node, Integer> here = touches(group.assigns());
    Set<Node> own = new LinkedHashSet<>();
    group.assigns().forEach(a -> own.add(a.target()));
    own.removeIf(
        node ->
            DeadCode.isSeenOutside(node, inputs)
                || node.type().size() < 4
                || !Objects.equals(here.get(node), all.get(node)));
    return own;
  }

  private static Set<Buffer> touched(Stmt body) {
    Set<Buffer> touched = new HashSet<>(Cse.stores(body));
    Ir.expressions(
        body,
        e ->
            Ir.walk(
                e,
                part -> {
                  if (part instanceof Expr.Load load) {
                    touched.add(load.buffer());
                  }
                }));
    return touched;
  }

  /** Whether there is other code for an assignment than a thread per element. */
  private boolean hasOwnKernel(Assign a) {
    return !options.schedules().containsKey(a.target().name())
        && options.has(Feature.BLOCKS)
        && (MatrixProduct.of(a) != null || (options.fast() && BlockSum.is(a)));
  }

  /** Writes a procedure for a GPU: a thread per element, or a block of threads per tile or sum. */
  private Procedure threads(
      Fuse.Group group, Map<Node, Integer> touches, int number, Parameters parameters) {
    Emitter.Names names = new Emitter.Names();
    Emitter out = new Emitter(names);
    Var begin = new Var("begin", Type.I64);
    Var end = new Var("end", Type.I64);
    Map<Symbol, Expr> statics = parameters.statics(out);
    Assign first = group.assigns().getFirst();
    String name = program.name() + "_" + number;
    boolean blocks = hasOwnKernel(first);
    MatrixProduct product = blocks ? MatrixProduct.of(first) : null;
    long items = 1;
    if (product != null) {
      items = product.blocks();
      out.add(ProductTiles.body(product, begin, end, parameters::of, names));
    } else if (blocks) {
      items = BlockSum.items(first);
      boolean exchanges = options.has(Feature.EXCHANGES);
      out.add(BlockSum.body(first, begin, end, exchanges, statics, parameters::of, names));
    } else if (group.shared() == null) {
      Schedule schedule = group.schedules().getFirst();
      new Lowering(first, schedule, options.fast(), statics, parameters::of).emit(out);
    } else {
      Threads threads = new Threads(options.fast(), options.has(Feature.WIDE_ATOMICS));
      items = threads.items(group);
      Set<Buffer> own = new HashSet<>();
      for (Node node : own(group, touches)) {
        own.add(parameters.of(node, false));
      }
      threads.emit(group, begin, end, statics, parameters::of, own, out);
      own.removeAll(touched(out.block()));
      parameters.buffers.values().removeAll(own);
    }
    Procedure procedure =
        new Procedure(
            name,
            parameters.slots().stream()
                .map(s -> requireNonNull(parameters.buffers.get(s)))
                .toList(),
            items,
            new Procedure.Grain(1, 1),
            begin,
            end,
            blocks ? out.block() : polish(out.block()));
    Packs packs = options.has(Feature.PACKS) && !blocks ? Packs.of(procedure) : null;
    return packs == null
        ? procedure
        : new Procedure(
            name,
            procedure.parameters(),
            items,
            new Procedure.Grain(packs.lanes(), 1),
            begin,
            end,
            procedure.body());
  }

  /**
   * Row by row keeps rows in the cache. But a shared loop that is a vector stays whole if there are
   * loops inside it, or in all assignments nothing but it.
   */
  private static boolean isByRows(Fuse.Group group) {
    boolean rows = false;
    for (int i = 0; i < group.assigns().size(); i++) {
      boolean alone = group.assigns().get(i).loops().size() == 1;
      String axis = requireNonNull(group.shared()).get(i).name();
      if (!alone && group.schedules().get(i).lanes(axis) > 1) {
        return false;
      }
      rows |= !alone;
    }
    return rows;
  }

  private static long work(Assign a, Iter shared) {
    long work = Fuse.steps(a);
    for (Iter loop : a.loops()) {
      if (loop != shared) {
        work = Math.multiplyExact(work, Math.max(1, loop.size()));
      }
    }
    return work;
  }

  private Stmt polish(Stmt body) {
    if (!options.optimize()) {
      return body;
    }
    Stmt s = Simplify.apply(Intervals.apply(body), false);
    s = Hoist.apply(Cse.apply(s));
    s = Tidy.apply(s);
    return options.fast() ? Simplify.apply(s, true) : s;
  }
}
