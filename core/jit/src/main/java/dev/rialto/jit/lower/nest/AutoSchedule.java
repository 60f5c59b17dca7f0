package dev.rialto.jit.lower.nest;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Op;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.Options;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.jit.lower.arithmetic.Arithmetic;
import dev.rialto.jit.lower.program.Fuse;
import dev.rialto.jit.lower.program.Inline;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses schedules that are sound everywhere and good mostly.
 *
 * <p>Vectors go along the target's last axis where all memory is walked by neighbours or not at
 * all; if only a summed loop is walked so, along that, but only if the order in which values are
 * combined does not matter, or the program is fast. Sums keep a block of elements in registers,
 * which hides the latency of adding and uses each loaded value several times. The outermost loop is
 * divided among threads.
 */
public final class AutoSchedule {
  private static final Set<Op> ARITHMETIC =
      EnumSet.of(Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG, Op.FMA);

  // Loops that only stream are 3 % faster with 256 bits than with 512, and another 3 % on the JVM
  // when unrolled; those that load more, such as stencils, run out of registers then.
  private static final int STREAM_BITS = 256;
  private static final int STREAM_UNROLL = 4;
  private static final int STREAM_READS = 3;
  private static final int STREAM_LENGTH = 1024;

  private static final int MOST_UNROLLED = 1024;

  private final Assign a;
  private final int vectorBits;
  private final boolean fast;
  private final long size;

  private AutoSchedule(Assign a, Options options) {
    this.a = a;
    boolean fits = fits(a, options);
    int widest = streams(a) ? STREAM_BITS : Integer.MAX_VALUE;
    this.vectorBits = fits ? Math.min(options.vectorBits(), widest) : 0;
    this.fast = options.fast();
    this.size = Fuse.steps(a);
  }

  /**
   * Whether memory alone says how long an assignment takes: little is computed on few arrays, and
   * there are no rows that an assignment before it may have left in the cache.
   */
  private static boolean streams(Assign a) {
    return a.loops().size() == 1
        && a.loops().getFirst().size() >= STREAM_LENGTH
        && a.reducedLoops().isEmpty()
        && a.body().all(Inline::isCheap)
        && new HashSet<>(a.body().reads()).size() <= STREAM_READS;
  }

  public static Schedule of(Assign a, Options options) {
    return options.threads() ? Schedule.PLAIN : new AutoSchedule(a, options).choose();
  }

  private static boolean isArithmetic(Assign a) {
    DType type = a.target().type();
    boolean sums = a.accum() != Accum.MAX && a.accum() != Accum.MIN;
    return (type == DType.F32 || type == DType.F64)
        && sums
        && a.body().all(AutoSchedule::isArithmetic);
  }

  private static boolean isArithmetic(ScalarExpression scalar) {
    return switch (scalar) {
      case ScalarExpression.Read _, ScalarExpression.Const _ -> true;
      case ScalarExpression.Apply apply -> ARITHMETIC.contains(apply.op());
      case ScalarExpression.Cast _,
          ScalarExpression.Position _,
          ScalarExpression.Random _,
          ScalarExpression.Within _ ->
          false;
    };
  }

  /** Whether elements can be computed in any order and at the same time. */
  public static boolean isIndependent(Assign a) {
    return a.isInjective()
        && (a.accum() != Accum.SET || a.reducedLoops().isEmpty())
        && a.body().reads().stream()
            .filter(read -> read.node() == a.target() && !read.merged())
            .allMatch(read -> read.index().equals(a.index()) && a.reducedLoops().isEmpty());
  }

  private Schedule choose() {
    List<Schedule.Step> steps = new ArrayList<>();
    if (!isIndependent(a) || (a.targetLoops().isEmpty() && !canReduceInVectors())) {
      return Schedule.PLAIN;
    }
    List<Iter> targets = a.targetLoops();
    if (a.hasEnds()) {
      return targets.stream()
          .filter(loop -> canBeOutside(a, loop))
          .findFirst()
          .map(loop -> new Schedule(List.of(new Schedule.Parallel(loop.name()))))
          .orElse(Schedule.PLAIN);
    }
    if (!targets.isEmpty()) {
      Iter outer = targets.get(0);
      if (outer.size() < 8 && targets.size() > 1 && targets.get(1).size() > outer.size()) {
        outer = targets.get(1);
      }
      ScalarExpression.Read panel = panel(vectorLoop());
      if (panel != null) {
        outer = requireNonNull(vectorLoop());
        steps.add(new Schedule.Cache(panel.node().name()));
      }
      steps.add(new Schedule.Parallel(outer.name()));
    }
    boolean sums = !a.reducedLoops().isEmpty();
    int lanes = lanes();
    Iter along = vectorLoop();
    int registers = vectorBits >= 512 ? 16 : 8;
    if (along != null && lanes > 1) {
      steps.add(new Schedule.Vector(along.name(), lanes));
      if (sums) {
        int columns = Math.clamp(along.size() / lanes, 1, targets.size() > 1 ? 2 : 8);
        add(steps, along, columns);
        otherThan(targets, along, steps, registers / columns);
      } else if (streams(a)) {
        add(steps, along, STREAM_UNROLL);
      }
    } else if (sums && canReduceInVectors() && lanes > 1) {
      steps.add(new Schedule.Vector(a.reducedLoops().getLast().name(), lanes));
      add(steps, a.reducedLoops().getLast(), 4);
    } else if (sums && !targets.isEmpty()) {
      add(steps, targets.getLast(), 4);
    }
    return new Schedule(steps);
  }

  /** Whether a loop can be outside of all others: none of them says where it ends. */
  static boolean canBeOutside(Assign a, Iter loop) {
    return loop.end() == null
        || loop.end().index().stream().noneMatch(i -> a.loops().stream().anyMatch(i::dependsOn));
  }

  /**
   * Finds the operand of a product of matrices whose columns the vectors go along: rows far apart,
   * of which each tile of columns is read again for every row of the result.
   */
  private ScalarExpression.@Nullable Read panel(@Nullable Iter along) {
    if (along == null || lanes() < 2 || a.reducedLoops().size() != 1 || rows(along) < 32) {
      return null;
    }
    Iter summed = a.reducedLoops().get(0);
    for (ScalarExpression.Read read : a.body().reads()) {
      List<Affine> index = read.index();
      long bytes = summed.size() * 2 * lanes() * read.type().size();
      if (index.size() == 2
          && index.get(0).alone() == summed
          && index.get(1).alone() == along
          && bytes >= 16 << 10
          && bytes <= 256 << 10
          && !read.merged()) {
        return read;
      }
    }
    return null;
  }

  private long rows(Iter along) {
    long rows = 1;
    for (Iter iter : a.targetLoops()) {
      rows *= iter == along ? 1 : iter.size();
    }
    return rows;
  }

  /** Unrolls a loop, unless that makes more code than a cache of instructions likes. */
  private void add(List<Schedule.Step> steps, Iter iter, int times) {
    if (times > 1 && iter.size() >= times && size * times <= MOST_UNROLLED) {
      steps.add(new Schedule.Unroll(iter.name(), times));
    }
  }

  private void otherThan(List<Iter> targets, Iter along, List<Schedule.Step> steps, int times) {
    for (Iter iter : targets.reversed()) {
      if (iter != along) {
        add(steps, iter, times);
        return;
      }
    }
  }

  private int lanes() {
    return vectorBits / widest(a);
  }

  /** The bits of the widest value that an assignment computes with. */
  static int widest(Assign a) {
    int[] widest = {Arithmetic.kind(a.target().type()).bits()};
    a.body().walk(scalar -> widest[0] = Math.max(widest[0], widest(scalar)));
    return widest[0];
  }

  /** Whether an assignment has nothing but loads, stores and arithmetic. */
  public static boolean fits(Assign a, Options options) {
    return !options.arithmeticOnly() || isArithmetic(a);
  }

  private static int widest(ScalarExpression scalar) {
    boolean wide =
        scalar instanceof ScalarExpression.Position
            || scalar instanceof ScalarExpression.Random
            || scalar.type() == DType.U32
            || (scalar instanceof ScalarExpression.Apply apply
                && (apply.op() == Op.SIN || apply.op() == Op.COS || apply.op() == Op.POW));
    return wide ? 64 : Arithmetic.kind(scalar.type()).bits();
  }

  /** The loop that moves the target to its neighbour, if vectors can go along it. */
  private @Nullable Iter vectorLoop() {
    for (Iter iter : a.targetLoops()) {
      if (a.target().stride(a.index(), iter) == 1) {
        return isSmooth(a, iter) && iter.size() >= lanes() ? iter : null;
      }
    }
    return null;
  }

  private boolean canReduceInVectors() {
    boolean anyOrder = fast || a.accum().isOrderFree(a.target().type());
    if (!anyOrder || a.reducedLoops().isEmpty() || !a.isInjective() || a.accum() == Accum.SET) {
      return false;
    }
    Iter last = a.reducedLoops().getLast();
    return last.size() >= lanes()
        && isSmooth(a, last)
        && a.reads().stream().noneMatch(read -> read.node() == a.target());
  }

  private static boolean isReal(DType type) {
    return type.kind() != DType.Kind.COMPLEX;
  }

  /** Whether vectors can go along a loop: all memory is walked by neighbours, or not at all. */
  static boolean isSmooth(Assign a, Iter iter) {
    long stride = a.target().stride(a.index(), iter);
    boolean fixed = a.index().stream().allMatch(i -> i.factor(iter) == 0);
    return (fixed || stride == 1)
        && isReal(a.target().type())
        && a.body().all(s -> isSmooth(s, iter));
  }

  private static boolean isSmooth(ScalarExpression scalar, Iter iter) {
    boolean here =
        switch (scalar) {
          case ScalarExpression.Read read -> {
            long stride = read.node().stride(read.index(), iter);
            yield (stride == 0 && read.index().stream().allMatch(i -> i.factor(iter) == 0))
                || stride == 1;
          }
          case ScalarExpression.Within within -> within.index().factor(iter) == 0;
          case ScalarExpression.Apply apply ->
              apply.op() != Op.REM || apply.type().kind() == DType.Kind.INTEGER;
          default -> true;
        };
    return here
        && isReal(scalar.type())
        && scalar.places().stream().noneMatch(place -> place.readsAlong(iter));
  }
}
