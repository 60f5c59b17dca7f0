package dev.rialto.jit.lower;

import static dev.rialto.spi.code.Expr.BinaryOp.ADD;
import static dev.rialto.spi.code.Expr.BinaryOp.LT;
import static dev.rialto.spi.code.Expr.BinaryOp.MUL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Program;
import dev.rialto.jit.loops.Cse;
import dev.rialto.jit.loops.Hoist;
import dev.rialto.jit.loops.IndexBounds;
import dev.rialto.jit.loops.Simplify;
import dev.rialto.jit.loops.Simplify.Contraction;
import dev.rialto.jit.loops.Tidy;
import dev.rialto.jit.lower.nest.AutoSchedule;
import dev.rialto.jit.lower.program.DeadCode;
import dev.rialto.jit.lower.program.Fuse;
import dev.rialto.jit.lower.program.Inline;
import dev.rialto.jit.lower.program.Normalize;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Each pass on the smallest examples: changes that it makes, and code that it leaves alone. */
class PassTest {
  private static final Var I = new Var("i", Type.I64);
  private static final Var X = new Var("x", Type.F32);
  private static final Buffer A = new Buffer("a", Buffer.Storage.F32, 10, false);
  private static final Buffer B = new Buffer("b", Buffer.Storage.F32, 10, false);

  private static Expr load(Buffer buffer, Expr at) {
    return new Expr.Load(buffer, at, 1);
  }

  private static Stmt loop(Stmt... body) {
    return new Stmt.For(I, Expr.of(0), Expr.of(10), 1, new Stmt.Block(List.of(body)));
  }

  private static Stmt block(Stmt... steps) {
    return new Stmt.Block(List.of(steps));
  }

  private static Var var(String name) {
    return new Var(name, Type.F32);
  }

  @Nested
  class OfSimplify {
    @Test
    void integersLoseWhatChangesNothing() {
      assertThat(Simplify.rule(new Binary(ADD, I, Expr.of(0)), false)).isEqualTo(I);
      assertThat(Simplify.rule(new Binary(MUL, I, Expr.of(1)), false)).isEqualTo(I);
      Expr twice = new Binary(ADD, new Binary(ADD, I, Expr.of(2)), Expr.of(3));
      assertThat(Simplify.rule(twice, false)).isEqualTo(new Binary(ADD, I, Expr.of(5)));
    }

    @Test
    void theRootOfAFloatIsAFloats() {
      Expr wide =
          new Expr.Unary(Expr.UnaryOp.SQRT, new Expr.Convert(Type.F64, new Binary(MUL, X, X)));
      assertThat(Simplify.rule(new Expr.Convert(Type.F32, wide), false))
          .isEqualTo(new Expr.Unary(Expr.UnaryOp.SQRT, new Binary(MUL, X, X)));
    }

    @Test
    void strictReals() {
      Expr plusZero = new Binary(ADD, X, Expr.of(Type.F32, 0));
      assertThat(Simplify.rule(plusZero, false)).as("-0 + 0 is 0").isEqualTo(plusZero);
      assertThat(Simplify.rule(new Binary(ADD, X, Expr.of(Type.F32, -0.0)), false)).isEqualTo(X);
      Expr timesZero = new Binary(MUL, X, Expr.of(Type.F32, 0));
      assertThat(Simplify.rule(timesZero, false)).as("NaN stays").isEqualTo(timesZero);
    }

    @Test
    void fastRealsContract() {
      Expr sum = new Binary(ADD, X, new Binary(MUL, X, X));
      assertThat(Simplify.rule(sum, true)).isEqualTo(new Expr.Fma(X, X, X));
      assertThat(Simplify.rule(sum, false)).isEqualTo(sum);
    }

    @Test
    void onlyWhatTheCompilerDoesNotContractIsContracted() {
      Expr wide = new Expr.Splat(8, X);
      Expr sum = new Binary(ADD, X, new Binary(MUL, X, X));
      Expr sums = new Binary(ADD, wide, new Binary(MUL, wide, wide));
      Stmt body = block(new Stmt.Store(A, Expr.of(0), sum), new Stmt.Store(A, Expr.of(0), sums));
      Stmt scalar = new Stmt.Store(A, Expr.of(0), new Expr.Fma(X, X, X));
      Stmt vector = new Stmt.Store(A, Expr.of(0), new Expr.Fma(wide, wide, wide));
      assertThat(Simplify.fast(body, Contraction.NONE)).isEqualTo(body);
      assertThat(Simplify.fast(body, Contraction.VECTORS))
          .isEqualTo(block(new Stmt.Store(A, Expr.of(0), sum), vector));
      assertThat(Simplify.fast(body, Contraction.ALL)).isEqualTo(block(scalar, vector));
    }
  }

  @Nested
  class OfCse {
    @Test
    void aLoadCountsUntilItsBufferIsStoredTo() {
      Stmt body =
          block(
              new Stmt.Let(var("p"), load(A, Expr.of(1))),
              new Stmt.Let(var("q"), load(A, Expr.of(1))),
              new Stmt.Store(A, Expr.of(1), new Binary(ADD, var("p"), var("q"))),
              new Stmt.Let(var("r"), load(A, Expr.of(1))),
              new Stmt.Store(B, Expr.of(0), var("r")));
      assertThat(Cse.apply(body))
          .isEqualTo(
              block(
                  new Stmt.Let(var("p"), load(A, Expr.of(1))),
                  new Stmt.Store(A, Expr.of(1), new Binary(ADD, var("p"), var("p"))),
                  new Stmt.Let(var("r"), load(A, Expr.of(1))),
                  new Stmt.Store(B, Expr.of(0), var("r"))));
    }

    @Test
    void aLoopThatStoresForgetsWhatWasLoadedBefore() {
      Stmt body =
          block(
              new Stmt.Let(var("p"), load(A, Expr.of(1))),
              loop(
                  new Stmt.Let(var("q"), load(A, Expr.of(1))),
                  new Stmt.Store(A, Expr.of(1), new Binary(ADD, var("q"), var("p")))));
      assertThat(Cse.apply(body)).isEqualTo(body);
    }
  }

  @Nested
  class OfHoist {
    @Test
    void whatStaysTheSameMovesOutAndTheRestStays() {
      Stmt fixed = new Stmt.Let(var("p"), load(A, Expr.of(1)));
      Stmt moving = new Stmt.Let(var("q"), load(A, I));
      Stmt store = new Stmt.Store(B, I, new Binary(ADD, var("p"), var("q")));
      assertThat(Hoist.apply(loop(fixed, moving, store)))
          .isEqualTo(block(fixed, loop(moving, store)));
    }

    @Test
    void loadsOfWhatTheLoopStoresStay() {
      Stmt body = loop(new Stmt.Let(var("p"), load(A, Expr.of(1))), new Stmt.Store(A, I, var("p")));
      assertThat(Hoist.apply(body)).isEqualTo(body);
    }
  }

  @Nested
  class OfTidy {
    @Test
    void variablesUsedOnceVanishUnlessAStoreComesBetween() {
      Stmt body =
          block(
              new Stmt.Let(var("p"), load(A, Expr.of(1))),
              new Stmt.Let(var("q"), load(B, Expr.of(1))),
              new Stmt.Store(A, Expr.of(2), var("q")),
              new Stmt.Store(B, Expr.of(2), var("p")));
      assertThat(Tidy.apply(body))
          .isEqualTo(
              block(
                  new Stmt.Let(var("p"), load(A, Expr.of(1))),
                  new Stmt.Store(A, Expr.of(2), load(B, Expr.of(1))),
                  new Stmt.Store(B, Expr.of(2), var("p"))));
    }
  }

  @Nested
  class OfIntervals {
    @Test
    void guardsThatAlwaysHoldVanish() {
      Expr guarded =
          new Expr.Select(new Binary(LT, I, Expr.of(10)), load(A, I), Expr.of(Type.F32, 0));
      assertThat(IndexBounds.apply(loop(new Stmt.Store(B, I, guarded))))
          .isEqualTo(loop(new Stmt.Store(B, I, load(A, I))));
      Expr open = new Expr.Select(new Binary(LT, I, Expr.of(9)), load(A, I), X);
      Stmt kept = loop(new Stmt.Store(B, I, open));
      assertThat(IndexBounds.apply(kept)).isEqualTo(kept);
    }
  }

  @Nested
  class OfAssignments {
    private List<Assign> inlined(String text) {
      Program program = Program.parse("p", text);
      return DeadCode.apply(
          Inline.apply(Normalize.apply(program.assigns()), program.inputs()).assigns(),
          program.inputs());
    }

    @Test
    void chainsBecomeOneAssignment() {
      assertThat(inlined("input x f32[4]\na[i] = x[i] + 1\nb[i] = exp(a[i])\nc[i] = b[i] * 2"))
          .hasSize(1)
          .first()
          .hasToString("c[i] = mul(exp(add(x[i], 1)), 2)");
    }

    @Test
    void aDiagonalIsAskedForWhereItIsUsed() {
      String diagonal = "input x f32[3]\nnode d f32[3, 3]\nd[i, i] = x[i]\n";
      assertThat(inlined(diagonal + "y[i, j] = d[i, j] + 1"))
          .singleElement()
          .hasToString("y[i, j] = add(within(j-1*i < 1, x[i], 0), 1)");
      assertThat(inlined(diagonal + "y[i] = d[i, i]")).singleElement().hasToString("y[i] = x[i]");
      assertThat(inlined(diagonal + "y[i, j, k] = d[i, j] * d[j, k]")).hasSize(3);
    }

    @Test
    void paddingIsAskedForWhereItIsUsed() {
      assertThat(inlined("input x f32[3]\nnode p f32[5]\np[i+1] = x[i]\ny[i] = p[i] * 2"))
          .singleElement()
          .hasToString("y[i] = mul(within(i-1 < 3, x[i-1], 0), 2)");
      assertThat(inlined("input x f32[7]\nnode p f32[5]\np[i+1] = x[2*i]\ny[i] = p[i] * 2"))
          .as("x[2*i-2] would be read outside of x")
          .hasSize(3);
      assertThat(inlined("input x f32[6]\nnode y f32[3]\na[i] = x[2*i]\ny[i] = pad(a[i-1])"))
          .as("the guard is for i-1, not for 2*i-2")
          .hasSize(2);
    }

    @Test
    void everyNodeTellsWhereItLivesAndWhy() {
      Program program =
          Program.parse(
              "p",
              """
              input x f32[8, 4]
              up[i, j] = x[i, j] + 1
              s[i] += up[i, j]
              e[i] = exp(s[i])
              output y[i, j] = up[i, j] * e[i] + e[0]
              """);
      String modes =
          Pipeline.run(program, Options.strict(256)).stages().stream()
              .filter(stage -> stage.name().equals("modes"))
              .findFirst()
              .orElseThrow()
              .text();
      assertThat(modes)
          .isEqualTo(
              """
              x: hosted because it is an input of p
              up: virtual because computing it where it is used costs little
              s: local because it is summed up, or assigned in several ways
              e: local because its elements are used more than once and cost more
              y: hosted because program p gives it out
              """);
    }

    @Test
    void whatIsCostlyAndUsedOftenIsStored() {
      assertThat(inlined("input x f32[4]\ne[i] = exp(x[i])\ny[i, j] = e[i] * e[j]")).hasSize(2);
    }

    @Test
    void aNodeIsNotInlinedPastAChangeOfItsOperand() {
      assertThat(
              inlined(
                  """
                  input x f32[4]
                  a[i] = x[i] + 1
                  x[i] = 0
                  y[i] = a[i]
                  """))
          .hasSize(3);
    }

    @Test
    void whatNobodySeesIsDropped() {
      Program program =
          Program.parse(
              "p",
              """
              input x f32[4]
              s[] += x[i]
              t[i] = s[] * x[i]
              output y[i] = x[i] + 1
              u[i] = t[i]
              """);
      List<Assign> kept = program.assigns().subList(0, 3);
      assertThat(DeadCode.apply(kept, Set.of())).containsExactly(kept.get(2));
    }

    @Test
    void rowsOfOneAssignmentMeetThoseOfAnother() {
      Program program =
          Program.parse(
              "p", "input x f32[8, 4]\nm[i] max= x[i, j]\noutput y[i, j] = x[i, j] - m[i]");
      Options options = Options.strict(0);
      List<Assign> assigns = Normalize.apply(program.assigns());
      List<Schedule> schedules = assigns.stream().map(a -> AutoSchedule.of(a, options)).toList();
      assertThat(Fuse.apply(assigns, schedules)).hasSize(1);
      Program transposed =
          Program.parse(
              "q", "input x f32[8, 8]\nm[i] max= x[i, j]\noutput y[i, j] = x[i, j] - m[j]");
      List<Assign> others = Normalize.apply(transposed.assigns());
      assertThat(Fuse.apply(others, others.stream().map(a -> AutoSchedule.of(a, options)).toList()))
          .hasSize(2);
    }

    @Test
    void placesThatAreNotAssignedAreFilled() {
      Program program = Program.parse("p", "input x f32[3]\nnode d f32[3, 3]\nd[i, i] = x[i]");
      assertThat(Normalize.apply(program.assigns())).hasSize(2);
      assertThat(Set.copyOf(program.assigned())).containsExactly(program.node("d"));
    }
  }
}
