package dev.rialto.jit.lift.block;

import dev.rialto.jit.lift.KernelCode;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.List;
import java.util.Optional;

/**
 * The items of a block on a device that wants all threads of a group at each barrier, as OpenCL
 * does. A thread that the block has no item for follows the first item, and so through the same
 * conditions and loops, but changes nothing that others see: it costs no more than an item.
 */
public final class GroupItems {
  private static final Var THREAD = new Var("thread", Type.I64);
  private static final Var ACTIVE = new Var("active", Type.I32);

  private final Lifted kernel;

  private GroupItems(Lifted kernel) {
    this.kernel = kernel;
  }

  /** Rewrites the steps of a kernel's procedure; empty if threads would miss a barrier. */
  public static Optional<Stmt> apply(Stmt body, Lifted kernel) {
    boolean exchanges = Ir.contains(body, s -> s instanceof Stmt.Exchange);
    if (exchanges || leavesBefore(body, kernel.end())) {
      return Optional.empty();
    }
    GroupItems items = new GroupItems(kernel);
    return Optional.of(Ir.rebuild(body, s -> s instanceof Stmt.Items x ? items.threads(x) : s));
  }

  private Stmt threads(Stmt.Items items) {
    Expr isItem = new Binary(BinaryOp.LT, THREAD, items.count());
    Stmt each =
        new Stmt.Block(
            List.of(
                new Stmt.Let(ACTIVE, KernelCode.number(isItem)),
                new Stmt.Let(items.local(), new Expr.Select(isItem, THREAD, Expr.of(0))),
                Ir.rebuild(items.body(), this::quiet)));
    // A block behind the last item has not even a first one to follow.
    Expr hasItems = new Binary(BinaryOp.LT, Expr.of(0), items.count());
    return new Stmt.Items(THREAD, Expr.of(items.most()), items.most(), new Stmt.If(hasItems, each));
  }

  private Stmt quiet(Stmt step) {
    Expr active = KernelCode.isSet(ACTIVE);
    return switch (step) {
      case Stmt.Store(Buffer b, Expr _, Expr _) when !kernel.own().contains(b) ->
          new Stmt.If(active, step);
      case Stmt.Atomic a ->
          new Stmt.If(
              active, a, new Stmt.Assign(a.old(), new Expr.Load(a.buffer(), a.offset(), 1)));
      default -> step;
    };
  }

  /** Returns whether an item may end the method before others come to a barrier. */
  private static boolean leavesBefore(Stmt step, String end) {
    return switch (step) {
      case Stmt.Block(List<Stmt> steps) -> {
        boolean leaves = false;
        for (Stmt each : steps) {
          if ((leaves && waits(each)) || leavesBefore(each, end)) {
            yield true;
          }
          leaves |= leaves(each, end);
        }
        yield false;
      }
      case Stmt.If(Expr _, Stmt one, Stmt other) ->
          leavesBefore(one, end) || leavesBefore(other, end);
      case Stmt.Labeled(String _, Stmt body) -> leavesBefore(body, end);
      case Stmt.Items items -> leavesBefore(items.body(), end);
      case Stmt.Loop(String _, Stmt body) -> waits(body) && leaves(body, end);
      case Stmt.For loop ->
          Ir.contains(loop.body(), s -> s instanceof Stmt.Items)
              ? leavesBefore(loop.body(), end)
              : waits(loop.body()) && leaves(loop.body(), end);
      default -> false;
    };
  }

  private static boolean leaves(Stmt step, String end) {
    return Ir.contains(step, s -> s.equals(new Stmt.Leave(end)));
  }

  private static boolean waits(Stmt step) {
    return Ir.contains(step, s -> s instanceof Stmt.Barrier);
  }
}
