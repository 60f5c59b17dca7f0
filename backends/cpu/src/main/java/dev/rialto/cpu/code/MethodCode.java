package dev.rialto.cpu.code;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes one method: it loads the buffers and variables that it touches into local variables, and
 * then is its statements one by one.
 */
final class MethodCode {
  /** A variable, and the slot of one of the same name outside. */
  private record Made(Expr.Var variable, @Nullable Integer outer) {}

  private final ProcedureClass owner;
  private final Methods methods;
  private final Method method;
  private final CodeBuilder code;
  private final FrameCode frame;
  private final Map<Expr.Var, Integer> slots = new HashMap<>();
  private final List<Made> made = new ArrayList<>();
  private final Map<Buffer, Integer> bufferSlots = new HashMap<>();
  private final Map<String, Label> ends = new HashMap<>();
  private final Map<String, Label> nexts = new HashMap<>();

  MethodCode(ProcedureClass owner, Methods methods, Method method, CodeBuilder code) {
    this.owner = owner;
    this.methods = methods;
    this.method = method;
    this.code = code;
    this.frame = new FrameCode(this, code, methods);
  }

  ProcedureClass owner() {
    return owner;
  }

  void write() {
    for (Buffer buffer : method.buffers) {
      if (owner.pushAddress(code, buffer)) {
        code.lstore(newSlot(buffer));
      } else if (!method.allArrays.contains(buffer)) {
        loadArray(buffer);
      }
    }
    given(owner.procedure().begin(), ProcedureClass.BEGIN);
    given(owner.procedure().end(), ProcedureClass.END);
    methods.loaded(method).forEach(frame::load);
    method.body.steps().forEach(this::statement);
    end(0);
  }

  private void given(Expr.Var v, int parameter) {
    if (method.touched.contains(v)) {
      code.lload(parameter);
      assign(v);
    }
  }

  private int newSlot(Buffer buffer) {
    int slot = code.allocateLocal(buffer.local() ? TypeKind.REFERENCE : TypeKind.LONG);
    bufferSlots.put(buffer, slot);
    return slot;
  }

  private void loadArray(Buffer buffer) {
    frame.array(buffer);
    code.astore(newSlot(buffer));
  }

  /** Leaves what others will look at in the frame, and returns. */
  private void end(int jump) {
    for (Expr.Var v : methods.stored(method)) {
      if (slots.containsKey(v)) {
        frame.store(v);
      }
    }
    code.loadConstant(jump).ireturn();
  }

  /** Runs steps that are a method of their own. */
  private void call(Method callee) {
    for (Expr.Var v : method.written) {
      if (callee.touching.containsKey(v) && slots.containsKey(v)) {
        frame.store(v);
      }
    }
    ProcedureClass.invoke(code, callee);
    int jump = code.allocateLocal(TypeKind.INT);
    code.istore(jump);
    for (Expr.Var v : method.touched) {
      if (callee.allWritten.contains(v)) {
        frame.load(v);
      }
    }
    for (Buffer buffer : method.buffers) {
      if (callee.allArrays.contains(buffer)) {
        loadArray(buffer);
      }
    }
    for (Stmt exit : callee.exits) {
      Label next = code.newLabel();
      code.iload(jump).loadConstant(owner.number(exit)).if_icmpne(next);
      jump(exit);
      code.labelBinding(next);
    }
  }

  private void jump(Stmt jump) {
    Label target =
        switch (jump) {
          case Stmt.Leave(String label) -> ends.get(label);
          case Stmt.Repeat(String label) -> nexts.get(label);
          default -> throw new IllegalArgumentException(jump + " is no jump");
        };
    if (target != null) {
      code.goto_(target);
    } else {
      end(owner.number(jump));
    }
  }

  // --- Variables --------------------------------------------------------------------------------

  private void declare(Expr.Var v) {
    made.add(new Made(v, slots.put(v, code.allocateLocal(local(v)))));
  }

  /** Writes steps after which the variables that they make are no more. */
  private void inside(Stmt body) {
    int before = made.size();
    statement(body);
    forget(before);
  }

  private void forget(int before) {
    while (made.size() > before) {
      Made last = made.removeLast();
      if (last.outer() == null) {
        slots.remove(last.variable());
      } else {
        slots.put(last.variable(), last.outer());
      }
    }
  }

  /** Stores the value on the stack, into a new variable if there is none. */
  void assign(Expr.Var v) {
    if (!slots.containsKey(v)) {
      declare(v);
    }
    store(v);
  }

  private TypeKind local(Expr.Var v) {
    if (v.type().lanes() > 1) {
      return TypeKind.REFERENCE;
    }
    return switch (v.type().kind()) {
      case BOOL, I32 -> TypeKind.INT;
      case I64 -> owner.isInt(v) ? TypeKind.INT : TypeKind.LONG;
      case F32 -> TypeKind.FLOAT;
      case F64 -> TypeKind.DOUBLE;
    };
  }

  private int slot(Expr.Var v) {
    return requireNonNull(slots.get(v));
  }

  /** Stores the value on the stack; an index comes as a long. */
  private void store(Expr.Var v) {
    if (owner.isInt(v)) {
      code.l2i();
    }
    code.storeLocal(local(v), slot(v));
  }

  /** Puts a variable on the stack; an index as a long. */
  void load(Expr.Var v) {
    code.loadLocal(local(v), slot(v));
    if (owner.isInt(v)) {
      code.i2l();
    }
  }

  /** Puts the low bits of an index variable on the stack as an int. */
  private void loadInt(Expr.Var v) {
    code.loadLocal(local(v), slot(v));
    if (!owner.isInt(v)) {
      code.l2i();
    }
  }

  /** Puts the address of an element, or a local array and the index in it, on the stack. */
  void address(Buffer buffer, Expr offset) {
    int slot = requireNonNull(bufferSlots.get(buffer));
    if (buffer.local()) {
      code.aload(slot);
      index(offset);
      return;
    }
    code.lload(slot);
    push(offset);
    int bytes = buffer.storage().bytes();
    if (bytes > 1) {
      code.loadConstant(Integer.numberOfTrailingZeros(bytes)).lshl();
    }
    code.ladd();
  }

  /**
   * Puts an index in an array on the stack, as an int. Sums and products are those of ints, whose
   * bits are the low ones of the longs: the JVM knows the bounds of such sums, and takes the checks
   * of the index out of loops.
   */
  private void index(Expr offset) {
    switch (offset) {
      case Expr.Const c -> code.loadConstant((int) c.bits());
      case Expr.Var v -> loadInt(v);
      case Expr.Convert(Type _, Expr x) when x.type().equals(Type.I32) -> push(x);
      case Expr.Binary(BinaryOp op, Expr x, Expr y)
          when op == BinaryOp.ADD || op == BinaryOp.SUB || op == BinaryOp.MUL -> {
        index(x);
        index(y);
        switch (op) {
          case ADD -> code.iadd();
          case SUB -> code.isub();
          default -> code.imul();
        }
      }
      default -> {
        push(offset);
        code.l2i();
      }
    }
  }

  // --- Statements -------------------------------------------------------------------------------

  private void statement(Stmt s) {
    Method callee = methods.calls().get(s);
    if (callee != null) {
      call(callee);
      return;
    }
    switch (s) {
      case Stmt.Block block -> block.steps().forEach(step -> statement(step));
      case Stmt.Let(Expr.Var v, Expr e) -> {
        push(e);
        declare(v);
        store(v);
      }
      case Stmt.Assign(Expr.Var v, Expr e) -> {
        push(e);
        store(v);
      }
      case Stmt.Store(Buffer b, Expr at, Expr e) -> {
        if (e.type().lanes() > 1) {
          new VectorCode(this, code).store(b, at, e);
        } else {
          new ScalarCode(this, code).store(b, at, e);
        }
      }
      case Stmt.For f -> loop(f);
      case Stmt.If branch -> {
        Label otherwise = code.newLabel();
        new ScalarCode(this, code).jumpUnless(branch.condition(), otherwise);
        inside(branch.body());
        if (branch.otherwise().equals(Stmt.NOTHING)) {
          code.labelBinding(otherwise);
        } else {
          Label end = code.newLabel();
          code.goto_(end);
          code.labelBinding(otherwise);
          inside(branch.otherwise());
          code.labelBinding(end);
        }
      }
      case Stmt.Labeled(String name, Stmt body) -> {
        Label end = code.newLabel();
        ends.put(name, end);
        inside(body);
        code.labelBinding(end);
      }
      case Stmt.Loop(String name, Stmt body) -> {
        Label next = code.newLabel();
        Label end = code.newLabel();
        nexts.put(name, next);
        ends.put(name, end);
        code.labelBinding(next);
        inside(body);
        code.goto_(next);
        code.labelBinding(end);
      }
      case Stmt.Leave _, Stmt.Repeat _ -> jump(s);
      case Stmt.Atomic atomic -> {
        new ScalarCode(this, code).atomic(atomic);
        store(atomic.old());
      }
      case Stmt.Items _, Stmt.Barrier _, Stmt.Exchange _, Stmt.TileStep _ ->
          throw new IllegalArgumentException(s + " is for devices; make loops of it first");
      case Stmt.Array(Buffer b) -> {
        int slot = newSlot(b);
        // The narrowest vectors are loaded with what lies behind them.
        int elements = (int) b.elements() + (b.storage().bytes() < 4 ? VectorCode.LEAST_BYTES : 0);
        code.loadConstant(elements).newarray(ScalarCode.element(b)).astore(slot);
        frame.share(b, slot);
      }
      case Stmt.Comment _ -> {}
    }
  }

  private void push(Expr e) {
    if (e.type().lanes() > 1) {
      new VectorCode(this, code).push(e);
    } else {
      new ScalarCode(this, code).push(e);
    }
  }

  /**
   * Whether a loop has as many turns as data says, and reads where it says. The JVM would make
   * three loops of one that it can count, for vectors that there cannot be, and guess the end of
   * each wrong: rows of sparse matrices took 1.5 times as long.
   */
  private static boolean gathers(Stmt.For f) {
    if (f.from() instanceof Expr.Const && f.to() instanceof Expr.Const) {
      return false;
    }
    Set<Expr.Var> loaded = new HashSet<>();
    boolean[] found = new boolean[1];
    Parts.walk(
        f.body(),
        s -> {
          switch (s) {
            case Stmt.Let(Expr.Var v, Expr.Load _) -> loaded.add(v);
            case Stmt.Assign(Expr.Var v, Expr.Load _) -> loaded.add(v);
            default -> {}
          }
          for (Expr e : Parts.expressions(s)) {
            Parts.walk(e, x -> found[0] |= x instanceof Expr.Load load && uses(load, loaded));
          }
        });
    return found[0];
  }

  private static boolean uses(Expr.Load load, Set<Expr.Var> variables) {
    boolean[] found = new boolean[1];
    Parts.walk(
        load.offset(),
        x ->
            found[0] |=
                x instanceof Expr.Load || (x instanceof Expr.Var v && variables.contains(v)));
    return found[0];
  }

  /** The bound is evaluated once; an int index is compared and counted as one. */
  private void loop(Stmt.For f) {
    boolean narrow = owner.isInt(f.index());
    int before = made.size();
    declare(f.index());
    push(f.from());
    store(f.index());
    int end = code.allocateLocal(narrow ? TypeKind.INT : TypeKind.LONG);
    push(f.to());
    if (narrow) {
      code.l2i().istore(end);
    } else {
      code.lstore(end);
    }
    int index = slot(f.index());
    Label test = code.newLabel();
    Label done = code.newLabel();
    code.labelBinding(test);
    if (narrow) {
      code.iload(index).iload(end).if_icmpge(done);
    } else {
      code.lload(index).lload(end).lcmp().ifge(done);
    }
    statement(f.body());
    if (narrow && f.step() == 1 && gathers(f)) {
      code.iload(index);
      ProcedureClass.pushOne(code);
      code.iadd().istore(index);
    } else if (narrow) {
      code.iload(index).loadConstant((int) f.step()).iadd().istore(index);
    } else {
      code.lload(index).loadConstant(f.step()).ladd().lstore(index);
    }
    code.goto_(test);
    code.labelBinding(done);
    forget(before);
  }
}
