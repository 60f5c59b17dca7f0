package dev.rialto.cpu.code;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A method of a procedure's class: steps, some of which are calls of other methods, and what these
 * steps do with variables. Methods hand each other variables through a frame.
 */
final class Method {
  final int number;
  final Stmt.Block body;
  final List<Method> callees = new ArrayList<>();

  /** The variables that its own steps touch, change and make. */
  final Set<Expr.Var> touched = new LinkedHashSet<>();

  final Set<Expr.Var> written = new LinkedHashSet<>();
  final Set<Expr.Var> made = new LinkedHashSet<>();
  final Set<Buffer> buffers = new LinkedHashSet<>();
  final Set<Buffer> arrays = new LinkedHashSet<>();

  /**
   * The number of methods that touch each variable: this one and those that it calls, at any depth.
   */
  final Map<Expr.Var, Integer> touching = new HashMap<>();

  /** As above, with what the methods that it calls do. */
  final Set<Expr.Var> allWritten = new LinkedHashSet<>();

  final Set<Expr.Var> allMade = new LinkedHashSet<>();
  final Set<Buffer> allArrays = new LinkedHashSet<>();

  /** The jumps that leave it. */
  final Set<Stmt> exits = new LinkedHashSet<>();

  private final Set<String> labels = new LinkedHashSet<>();

  Method(int number, Stmt.Block body, IdentityHashMap<Stmt, Method> calls) {
    this.number = number;
    this.body = body;
    body.steps().forEach(step -> visit(step, calls));
    exits.removeIf(this::stays);
    touched.forEach(v -> touching.put(v, 1));
    allWritten.addAll(written);
    allMade.addAll(made);
    allArrays.addAll(arrays);
    for (Method callee : callees) {
      callee.touching.forEach((v, count) -> touching.merge(v, count, Integer::sum));
      allWritten.addAll(callee.allWritten);
      allMade.addAll(callee.allMade);
      allArrays.addAll(callee.allArrays);
    }
  }

  private boolean stays(Stmt jump) {
    return switch (jump) {
      case Stmt.Leave(String label) -> labels.contains(label);
      case Stmt.Repeat(String label) -> labels.contains(label);
      default -> true;
    };
  }

  private void visit(Stmt s, IdentityHashMap<Stmt, Method> calls) {
    Method callee = calls.get(s);
    if (callee != null) {
      callees.add(callee);
      exits.addAll(callee.exits);
      return;
    }
    for (Expr e : Parts.expressions(s)) {
      Parts.walk(
          e,
          x -> {
            if (x instanceof Expr.Var v) {
              touched.add(v);
            }
          });
    }
    Parts.buffers(s, buffers::add);
    switch (s) {
      case Stmt.Let let -> make(let.variable());
      case Stmt.For loop -> make(loop.index());
      case Stmt.Assign assign -> write(assign.variable());
      case Stmt.Atomic atomic -> write(atomic.old());
      case Stmt.Array array -> arrays.add(array.buffer());
      case Stmt.Labeled labeled -> labels.add(labeled.label());
      case Stmt.Loop loop -> labels.add(loop.label());
      case Stmt.Leave _, Stmt.Repeat _ -> exits.add(s);
      default -> {}
    }
    Parts.of(s).forEach(step -> visit(step, calls));
  }

  private void make(Expr.Var v) {
    made.add(v);
    write(v);
  }

  private void write(Expr.Var v) {
    written.add(v);
    touched.add(v);
  }
}
