package dev.rialto.jit.lift;

import dev.rialto.jit.lift.block.BlockLoops;
import dev.rialto.jit.lift.block.GroupItems;
import dev.rialto.jit.lift.block.ThreadPlaces;
import dev.rialto.jit.lift.range.NarrowPlaces;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A method as a procedure over blocks of items.
 *
 * @param procedure as a device takes it; its parameters are the arrays, an I64 array for what it
 *     prints if it does, and last an I64 array that is passed by value, with the number of items,
 *     the length of each array and each number that a launch passes, and the captured values that
 *     are passed, for each axis but the first what block numbers are divided by ({@link
 *     BlockQuotient}), the numbers that a function captures, and for each tensor its first place
 *     and the extent and stride of each axis
 * @param arguments what the method takes besides the item
 * @param captured by their place, the captured values that are no constants of the procedure
 * @param outside the arrays of functions that each launch passes, behind those of the arguments
 * @param numbers by their place, the numbers that a function captures and each launch passes
 * @param tables the elements of arrays from outside, which lie behind those of functions
 * @param tensors by their number, the arguments that are used as tensors
 * @param accesses what it does with each array
 * @param sites the indices that are guarded or might be, by their number; see {@link GuardedSites}
 * @param guarded whether some are: an I64 array for the first wrong one is behind that for lines
 * @param lines what it prints
 * @param shared the arrays that the items of a block have together
 * @param own the arrays that each item has for itself
 * @param wholeBlocks whether every block must have all its items
 * @param axes the axes of the launch
 * @param end the label of the whole method
 * @param names what messages call the arrays; empty unless steps are marked with their lines
 */
public record Lifted(
    Procedure procedure,
    List<Argument> arguments,
    SortedMap<Integer, Argument> captured,
    List<Object> outside,
    SortedMap<Integer, Argument> numbers,
    List<MemorySegment> tables,
    SortedMap<Integer, Axes> tensors,
    List<Access> accesses,
    List<Site> sites,
    boolean guarded,
    List<Line> lines,
    List<Buffer> shared,
    List<Buffer> own,
    boolean wholeBlocks,
    List<Axis> axes,
    String end,
    Map<Buffer, String> names) {
  /** The items of a launch, and the elements of an array, up to which places are of 32 bits. */
  public static final long MOST_NARROW = NarrowPlaces.MOST;

  /** The kinds of parameters of the method. */
  public enum Argument {
    /** An array of bytes. */
    I8(1),
    /** An array of shorts. */
    I16(2),
    /** An array of binary16 numbers. */
    F16(2),
    /** An array of upper halves of binary32 numbers. */
    BF16(2),
    /** An array of ints. */
    I32(4),
    /** An array of longs. */
    I64(8),
    /** An array of floats. */
    F32(4),
    /** An array of doubles. */
    F64(8),
    /** A boolean, byte, short, char or int. */
    INT(0),
    /** A long. */
    LONG(0),
    /** A float. */
    FLOAT(0),
    /** A double. */
    DOUBLE(0);

    private final int bytes;

    Argument(int bytes) {
      this.bytes = bytes;
    }

    public boolean isArray() {
      return bytes > 0;
    }

    /** Returns how an element of an array is stored. */
    public Buffer.Storage storage() {
      return bytes == 2 ? Buffer.Storage.I16 : Buffer.Storage.valueOf(name());
    }

    /** Returns the bytes of an element of an array. */
    public int bytes() {
      return bytes;
    }
  }

  /**
   * The axes of a tensor.
   *
   * @param count how many
   * @param isExact whether it has no others
   */
  public record Axes(int count, boolean isExact) {}

  /**
   * A line that the method prints. An item leaves it in an array: the first element counts all
   * lines, and three behind it are the number of this, that of the item and the value.
   *
   * @param text what is before the value
   * @param kind what the value is
   */
  public record Line(String text, Kind kind) {
    /** The most lines that an array holds. */
    public static final int MOST = 4096;

    public static final int WORDS = 3;

    /** The kinds of values behind the text. */
    public enum Kind {
      /** No value. */
      NOTHING,
      /** An integer. */
      LONG,
      /** The bits of a double. */
      DOUBLE
    }
  }

  /**
   * An index of an access.
   *
   * @param line its file and line
   * @param verb what is done with the element, as in "reads"
   * @param array what messages call the array, or the axis of it
   */
  public record Site(String line, String verb, String array) {
    /** The elements of the note on a wrong index. */
    public static final int WORDS = 5;

    /** Returns what is wrong, of a {@linkplain IndexGuards note}. */
    public String describe(long[] note) {
      return "%s: item %d %s index %d of %s, which has %s"
          .formatted(
              line,
              note[1],
              verb,
              note[2],
              array,
              note[3] < note[4] ? "indices %d to %d".formatted(note[3], note[4] - 1) : "none");
    }
  }

  /** Copies the lists. */
  public Lifted {
    arguments = List.copyOf(arguments);
    captured = Collections.unmodifiableSortedMap(new TreeMap<>(captured));
    outside = List.copyOf(outside);
    numbers = Collections.unmodifiableSortedMap(new TreeMap<>(numbers));
    tables = List.copyOf(tables);
    tensors = Collections.unmodifiableSortedMap(new TreeMap<>(tensors));
    accesses = List.copyOf(accesses);
    sites = List.copyOf(sites);
    lines = List.copyOf(lines);
    shared = List.copyOf(shared);
    own = List.copyOf(own);
    axes = List.copyOf(axes);
    names = Map.copyOf(names);
  }

  /** The variable of the length of an array, by its place among the numbers of a launch. */
  static Expr.Var length(int place) {
    return new Expr.Var("n" + place, Type.I64);
  }

  /** Returns the variables of the lengths of all arrays among the arguments. */
  public List<Expr.Var> lengths() {
    return IntStream.range(0, arguments.size())
        .filter(i -> arguments.get(i).isArray())
        .mapToObj(i -> length(axes.size() + i))
        .toList();
  }

  /** Returns what a launch passes as one of its numbers; empty if that is a size. */
  public Optional<Argument> passed(int word) {
    int argument = word - axes.size();
    int other = argument - arguments.size();
    int function = other - captured.size() - (axes.size() - 1);
    if (argument < 0) {
      return Optional.empty();
    }
    if (other < 0) {
      return Optional.of(arguments.get(argument)).filter(each -> !each.isArray());
    }
    if (other < captured.size()) {
      return captured.values().stream().skip(other).findFirst();
    }
    return function < 0 ? Optional.empty() : numbers.values().stream().skip(function).findFirst();
  }

  /**
   * Returns the procedure with loops in place of items, as the host's threads take it.
   *
   * @param vectors those that items are done in side by side
   */
  public Procedure forHost(VectorSupport vectors) {
    return BlockLoops.of(elementwise(), true, vectors);
  }

  /**
   * Returns the same for a device whose driver compiles it and calls it for each block. There are
   * no vectors and no copy for whole blocks, which drivers take long for and make nothing of.
   */
  public Procedure forDriver() {
    return BlockLoops.of(elementwise(), false, VectorSupport.NONE);
  }

  /**
   * Returns the procedure for a device whose threads are the items.
   *
   * @param narrow whether launches have no more than {@link #MOST_NARROW} items and elements
   */
  public Procedure forDevice(boolean narrow) {
    Stmt body = ThreadPlaces.apply(procedure.body(), axes);
    return procedure.withBody(narrow ? NarrowPlaces.apply(body, this) : body);
  }

  /**
   * Returns the procedure for a device whose threads are the items, and must all come to each
   * barrier, whether a block has an item for them or not; see {@link GroupItems}.
   *
   * @param narrow whether launches have no more than {@link #MOST_NARROW} items and elements
   * @return empty if that cannot be: items exchange values, or some return before a barrier
   */
  public Optional<Procedure> forGroups(boolean narrow) {
    return GroupItems.apply(procedure.body(), this)
        .map(body -> procedure.withBody(narrow ? NarrowPlaces.apply(body, this) : body));
  }

  /** Returns the bytes of what the items of a block share. */
  public long sharedBytes() {
    return shared.stream().mapToLong(b -> b.elements() * b.storage().bytes()).sum();
  }

  public boolean waits() {
    return Ir.contains(procedure.body(), Lifted::meets);
  }

  /**
   * Returns the method for launches along one axis that read how many items they have from one I64,
   * a parameter behind the arrays; no more than a launch says, from 0.
   */
  public Lifted counted() {
    Axis axis = axes.getFirst();
    Buffer number = new Buffer("counted", Buffer.Storage.I64, 1, false);
    List<Buffer> parameters = new ArrayList<>(procedure.parameters());
    parameters.add(accesses.size(), number);
    Expr read = new Expr.Load(number, Expr.of(0), 1);
    Stmt body =
        Ir.rebuild(
            procedure.body(),
            s ->
                switch (s) {
                  case Stmt.Let(Expr.Var v, Expr most) when v.equals(axis.items()) ->
                      new Stmt.Let(v, Axis.atLeastNone(Ir.min(read, most)));
                  case Stmt.Let(Expr.Var v, Expr _) when v.equals(axis.count()) -> axis.rest();
                  default -> s;
                });
    List<Access> all = new ArrayList<>(accesses);
    all.add(Access.READ);
    return with(
        new Procedure(
            procedure.name(),
            parameters,
            procedure.items(),
            procedure.grain(),
            procedure.begin(),
            procedure.end(),
            body),
        all);
  }

  /** Returns the method for launches whose tensors have neighbours along their last axis. */
  public Lifted dense() {
    if (tensors.isEmpty()) {
      return this;
    }
    Set<Expr> ones = new HashSet<>();
    tensors.forEach((argument, axes) -> ones.add(TensorPlaces.stride(argument, axes.count() - 1)));
    Stmt body =
        Ir.mapExpressions(
            procedure.body(),
            e -> Ir.rewrite(e, x -> KernelCode.simple(ones.contains(x) ? Expr.of(1) : x)));
    return with(procedure.withBody(body), accesses);
  }

  /** Returns the method with a step for each of several elements side by side. */
  private Lifted elementwise() {
    Stmt body =
        Ir.rebuild(
            procedure.body(),
            s ->
                s
                            instanceof
                            Stmt.Store(
                                Buffer to,
                                Expr at,
                                Expr.Load(Buffer from, Expr first, int lanes))
                        && lanes > 1
                    ? new Stmt.Block(
                        IntStream.range(0, lanes)
                            .mapToObj(k -> element(to, at, from, first, k))
                            .toList())
                    : s);
    return with(procedure.withBody(body), accesses);
  }

  private static Stmt element(Buffer to, Expr at, Buffer from, Expr first, long k) {
    Expr loaded = new Expr.Load(from, Ir.index(Expr.BinaryOp.ADD, first, Expr.of(k)), 1);
    return new Stmt.Store(to, Ir.index(Expr.BinaryOp.ADD, at, Expr.of(k)), loaded);
  }

  private Lifted with(Procedure other, List<Access> all) {
    return new Lifted(
        other,
        arguments,
        captured,
        outside,
        numbers,
        tables,
        tensors,
        all,
        sites,
        guarded,
        lines,
        shared,
        own,
        wholeBlocks,
        axes,
        end,
        names);
  }

  /** Returns whether the items of a block have nothing together and never wait for one another. */
  public boolean isIndependent() {
    return shared.isEmpty() && own.isEmpty() && !waits();
  }

  /** Returns whether items wait for one another at a step. */
  public static boolean meets(Stmt step) {
    return step instanceof Stmt.Barrier || step instanceof Stmt.Exchange;
  }
}
