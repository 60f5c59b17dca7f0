package dev.rialto.cpu.code;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Divides steps into methods that the JVM compiles: it never does those beyond 8000 bytes, and
 * refuses those beyond 65535. Steps that follow one another, inside loops too, become a method of
 * their own where all together are too many. Variables that several methods touch have a place in a
 * frame: a method loads them when it begins and stores what it changed when it ends.
 */
final class Methods {
  /** The bytes of a method, as estimated; the estimate is above the truth. */
  private static final int MOST_BYTES = 6000;

  /**
   * The operations on vectors and accesses of memory, each of which is a call that the JVM inlines
   * with all that it calls, in a method with loops. Its first compiler gave up a tile of a matrix
   * product that had 56, and then the second never got it.
   */
  static final int MOST_CALLS = 40;

  private static final int CALL = 60;
  private static final int HANDED_OVER = 14;

  private static final Sized NOTHING = new Sized(Stmt.NOTHING, 0, 0, false, Set.of());

  /**
   * A step as it is now, and what it takes.
   *
   * @param calls the operations in it that are calls
   * @param loops whether it has a loop
   * @param touched the variables and arrays
   */
  private record Sized(Stmt step, int bytes, int calls, boolean loops, Set<Object> touched) {
    /** With what another takes. The set grows, as copies for each of many steps would cost more. */
    Sized with(Sized other) {
      Set<Object> all = touched.isEmpty() ? new HashSet<>() : touched;
      all.addAll(other.touched());
      return new Sized(step, bytes + other.bytes, calls + other.calls, loops || other.loops, all);
    }

    boolean isTooLarge() {
      return isTooLarge(bytes, touched.size(), calls, loops);
    }

    boolean isTooLargeWith(Sized next) {
      int both = touched.size();
      for (Object each : next.touched) {
        both += touched.contains(each) ? 0 : 1;
      }
      return isTooLarge(bytes + next.bytes, both, calls + next.calls, loops || next.loops);
    }

    /** The steps of an innermost loop stay together as long as a method may have so many bytes. */
    private static boolean isTooLarge(int bytes, int touched, int calls, boolean loops) {
      return bytes + HANDED_OVER * touched > MOST_BYTES || (loops && calls > MOST_CALLS);
    }
  }

  private final IdentityHashMap<Stmt, Method> calls = new IdentityHashMap<>();
  private final List<Method> methods = new ArrayList<>();
  private final Map<Expr.Var, Integer> places = new HashMap<>();
  private final Map<Buffer, Integer> arrayPlaces = new HashMap<>();
  private final Method root;
  private int frame;

  /**
   * Divides steps.
   *
   * @param first the number of the first method
   * @param given variables that every method has
   */
  Methods(List<Stmt> steps, int first, Set<Expr.Var> given) {
    Stmt.Block whole = (Stmt.Block) divide(new Stmt.Block(steps), first).step();
    root = new Method(first + methods.size(), whole, calls);
    methods.add(root);
    for (Method method : methods) {
      for (Expr.Var v : method.touched) {
        if (touching(root, v) > 1 && !given.contains(v) && !places.containsKey(v)) {
          places.put(v, frame);
          frame += words(v.type());
        }
      }
    }
    Set<Buffer> seen = new HashSet<>();
    for (Method method : methods) {
      for (Buffer buffer : method.buffers) {
        if (buffer.local() && !seen.add(buffer)) {
          arrayPlaces.putIfAbsent(buffer, arrayPlaces.size());
        }
      }
    }
  }

  private static int touching(Method method, Expr.Var v) {
    return method.touching.getOrDefault(v, 0);
  }

  /** The 64-bit words that a variable takes in the frame. */
  private static int words(Type type) {
    boolean vector = type.lanes() > 1 && type.kind() != Type.Kind.BOOL;
    return vector ? Math.max(1, type.lanes() * type.kind().bits() / 64) : 1;
  }

  /** The methods, callees first. */
  List<Method> all() {
    return methods;
  }

  /** The method that runs everything. */
  Method root() {
    return root;
  }

  IdentityHashMap<Stmt, Method> calls() {
    return calls;
  }

  /** The place of each variable that several methods touch. */
  Map<Expr.Var, Integer> places() {
    return places;
  }

  /** The place of each local array that several methods touch. */
  Map<Buffer, Integer> arrayPlaces() {
    return arrayPlaces;
  }

  int frame() {
    return frame;
  }

  // --- Dividing ---------------------------------------------------------------------------------

  private Sized divide(Stmt s, int first) {
    return switch (s) {
      case Stmt.Block block -> divideBlock(block, first);
      case Stmt.For f -> {
        Sized body = divide(f.body(), first);
        Stmt step = new Stmt.For(f.index(), f.from(), f.to(), f.step(), body.step());
        yield around(step, List.of(body));
      }
      case Stmt.If x -> {
        Sized body = divide(x.body(), first);
        Sized otherwise = divide(x.otherwise(), first);
        yield around(
            new Stmt.If(x.condition(), body.step(), otherwise.step()), List.of(body, otherwise));
      }
      case Stmt.Labeled x -> {
        Sized body = divide(x.body(), first);
        yield around(new Stmt.Labeled(x.label(), body.step()), List.of(body));
      }
      case Stmt.Loop x -> {
        Sized body = divide(x.body(), first);
        yield around(new Stmt.Loop(x.label(), body.step()), List.of(body));
      }
      default -> around(s, List.of());
    };
  }

  /** A step around others. */
  private static Sized around(Stmt step, List<Sized> inner) {
    boolean loops = step instanceof Stmt.For || step instanceof Stmt.Loop;
    Set<Object> touched = new HashSet<>();
    touch(step, touched);
    Sized sized = new Sized(step, CodeSize.own(step), CodeSize.calls(step), loops, touched);
    for (Sized each : inner) {
      sized = sized.with(each);
    }
    return sized;
  }

  private static void touch(Stmt step, Set<Object> touched) {
    switch (step) {
      case Stmt.Let let -> touched.add(let.variable());
      case Stmt.Assign assign -> touched.add(assign.variable());
      case Stmt.For loop -> touched.add(loop.index());
      case Stmt.Atomic atomic -> touched.add(atomic.old());
      default -> {}
    }
    Parts.expressions(step)
        .forEach(
            e ->
                Parts.walk(
                    e,
                    x -> {
                      if (x instanceof Expr.Var v) {
                        touched.add(v);
                      }
                    }));
    Parts.buffers(step, touched::add);
  }

  private Sized divideBlock(Stmt.Block block, int first) {
    List<Sized> steps = new ArrayList<>();
    for (Stmt step : block.steps()) {
      steps.add(divide(step, first));
    }
    while (steps.size() > 1 && together(steps).isTooLarge()) {
      steps = grouped(steps, first);
    }
    return together(steps);
  }

  private static Sized together(List<Sized> steps) {
    return around(new Stmt.Block(steps.stream().map(Sized::step).toList()), steps);
  }

  private List<Sized> grouped(List<Sized> steps, int first) {
    List<Sized> result = new ArrayList<>();
    List<Sized> group = new ArrayList<>();
    Sized whole = NOTHING;
    for (Sized step : steps) {
      if (!group.isEmpty() && whole.isTooLargeWith(step)) {
        result.add(call(group, first));
        group = new ArrayList<>();
        whole = NOTHING;
      }
      group.add(step);
      whole = whole.with(step);
    }
    result.add(call(group, first));
    return result;
  }

  private Sized call(List<Sized> group, int first) {
    if (group.size() == 1 && calls.containsKey(group.getFirst().step())) {
      return group.getFirst();
    }
    Stmt.Block body = new Stmt.Block(group.stream().map(Sized::step).toList());
    Method method = new Method(first + methods.size(), body, calls);
    methods.add(method);
    calls.put(body, method);
    return new Sized(body, CALL, 0, false, Set.of());
  }

  /** The variables that a method finds in the frame when it begins. */
  Set<Expr.Var> loaded(Method method) {
    Set<Expr.Var> loaded = new LinkedHashSet<>(method.touched);
    loaded.removeAll(method.allMade);
    loaded.retainAll(places.keySet());
    return loaded;
  }

  /** The variables that a method leaves in the frame when it ends: others will touch them. */
  Set<Expr.Var> stored(Method method) {
    Set<Expr.Var> stored = new LinkedHashSet<>(method.written);
    stored.retainAll(places.keySet());
    stored.removeIf(v -> touching(root, v) == touching(method, v));
    return stored;
  }
}
