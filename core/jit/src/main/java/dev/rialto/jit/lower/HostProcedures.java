package dev.rialto.jit.lower;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.jit.lower.nest.Lowering;
import dev.rialto.jit.lower.nest.Scope;
import dev.rialto.jit.lower.program.Fuse;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;

/** Procedures for the threads of the host, which share the outermost loop of a group. */
record HostProcedures(Options options) {
  /** Work, in operations, that is worth handing to another thread. */
  private static final long WORTH_A_THREAD = 40_000;

  Procedure procedure(Fuse.Group group, String name, Parameters parameters) {
    Emitter.Names names = new Emitter.Names();
    Emitter out = new Emitter(names);
    Scope scope = parameters.scope(out, options.fast());
    long items = 1;
    long multiple = 1;
    long work = 0;
    if (group.shared() == null) {
      new Lowering(group.assigns().get(0), group.schedules().get(0), scope).emit(out);
    } else {
      items = group.shared().get(0).size();
      boolean rows = group.assigns().size() > 1 && isByRows(group);
      Var row = names.fresh("row", Type.I64);
      Emitter body = rows ? out.nested() : out;
      for (int i = 0; i < group.assigns().size(); i++) {
        Assign a = group.assigns().get(i);
        Iter shared = group.shared().get(i);
        Schedule schedule = group.schedules().get(i);
        Lowering lowering = new Lowering(a, schedule, scope);
        if (rows) {
          lowering.fix(shared, row);
        } else {
          lowering.limit(shared, scope.begin(), scope.end());
          multiple =
              Math.max(
                  multiple, (long) schedule.unroll(shared.name()) * schedule.lanes(shared.name()));
        }
        lowering.emit(body);
        work += work(a, shared);
      }
      if (rows) {
        out.add(new Stmt.For(row, scope.begin(), scope.end(), 1, body.block()));
      }
    }
    Stmt body = Pipeline.polish(out.block(), options);
    long atLeast = Math.max(1, WORTH_A_THREAD / Math.max(1, work));
    return new Procedure(
        name,
        parameters.all(),
        items,
        new Procedure.Grain(multiple, (atLeast + multiple - 1) / multiple * multiple),
        scope.begin(),
        scope.end(),
        body);
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
}
