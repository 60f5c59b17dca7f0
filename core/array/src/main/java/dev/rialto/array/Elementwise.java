package dev.rialto.array;

import java.lang.foreign.MemorySegment;

/**
 * Algorithms that take each element by itself. They need nothing of the communicator as long as
 * their arrays are divided alike; elements of others are moved first, which needs collectives.
 *
 * <p>The result is the array that was written. A function is compiled into its loop, so that these
 * run as fast as memory does.
 */
public final class Elementwise {
  /** What a fill copies again and again. */
  private static final long FILL_BYTES = 4096;

  private Elementwise() {}

  /** Sets every element to a value. */
  public static Operation<DistributedArray> fill(DistributedArray array, double value) {
    return fill(array, Elements.of(array.type()).words(value));
  }

  /** Sets every element to a whole number; integers of 64 bits keep all of them. */
  public static Operation<DistributedArray> fill(DistributedArray array, long value) {
    return fill(array, Elements.of(array.type()).words(value));
  }

  /** Sets every element, which are complex, to a value. */
  public static Operation<DistributedArray> fill(DistributedArray array, Complex value) {
    return fill(array, Elements.of(array.type()).words(value));
  }

  private static Operation<DistributedArray> fill(DistributedArray array, long[] words) {
    Elements elements = Elements.of(array.type());
    return Operation.local(
            array.team(),
            "fill",
            run -> {
              View view = array.view();
              run.stretches(
                  0,
                  view.count(),
                  (_, at, count) -> fill(elements, words, view.address(at), count),
                  view);
              return array;
            })
        .about(array);
  }

  /**
   * Writes the first element and copies it, then two, then four, up to a piece that stays in the
   * first cache: what copies memory fastest fills it for any type.
   */
  private static void fill(Elements elements, long[] words, long address, long count) {
    elements.write(address, words);
    long bytes = elements.type.bytes(count);
    for (long done = elements.type.size(); done < bytes; ) {
      long more = Math.min(Math.min(done, FILL_BYTES), bytes - done);
      MemorySegment.copy(Elements.MEMORY, address, Elements.MEMORY, address + done, more);
      done += more;
    }
  }

  /** Sets every element to a function of its number. */
  public static Operation<DistributedArray> generate(DistributedArray array, Generator generator) {
    return numbered(
        "generate",
        array,
        generator,
        (loops, function, number, elements, address, count) ->
            loops.generate(function, number, elements, address, count));
  }

  /** Calls a visitor with each element's number and value, on the rank that owns it. */
  public static Operation<DistributedArray> forEach(DistributedArray array, Visitor visitor) {
    return numbered(
        "forEach",
        array,
        visitor,
        (loops, function, number, elements, address, count) ->
            loops.visit(function, number, elements, address, count));
  }

  private interface Numbered {
    void run(
        Loops loops, Object function, long number, Elements elements, long address, long count);
  }

  /** Does something with stretches of elements whose numbers follow one another too. */
  private static Operation<DistributedArray> numbered(
      String name, DistributedArray array, ElementFunction given, Numbered body) {
    Elements elements = Elements.of(array.type());
    Object function = given.on(elements);
    Loops loops = Loops.of(function, null, elements);
    return Operation.local(
            array.team(),
            name,
            run -> {
              View view = array.view();
              run.stretches(
                  0,
                  view.count(),
                  (_, index, count) -> {
                    long last = index + count;
                    for (long at = index; at < last; ) {
                      long same = view.isInOrder() ? last - at : consecutive(array, at, last);
                      body.run(
                          loops, function, array.elementAt(at), elements, view.address(at), same);
                      at += same;
                    }
                  },
                  view);
              return array;
            })
        .about(array);
  }

  /** Returns how many elements have numbers that follow one another. */
  private static long consecutive(DistributedArray array, long at, long end) {
    long number = array.elementAt(at);
    long same = 1;
    while (at + same < end && array.elementAt(at + same) == number + same) {
      same++;
    }
    return same;
  }

  /** Sets {@code out[i] = f(in[i])}; the arrays may be one. */
  public static Operation<DistributedArray> transform(
      DistributedArray in, DistributedArray out, Mapping mapping) {
    Object function = mapping.on(sameKind(in, out));
    Loops loops = Loops.of(function, null, Elements.of(in.type()), Elements.of(out.type()));
    return withInput(
        "transform",
        in,
        out,
        true,
        (run, from, to) ->
            run.stretches(
                0,
                to.count(),
                (_, at, count) ->
                    loops.map(
                        function,
                        from.elements(),
                        from.address(at),
                        to.elements(),
                        to.address(at),
                        count),
                from,
                to));
  }

  /** Sets {@code out[i] = op(a[i], b[i])}; any of the arrays may be the same. */
  public static Operation<DistributedArray> transform(
      DistributedArray a, DistributedArray b, DistributedArray out, Operator operator) {
    Object function = operator.on(sameKind(a, out));
    Elements second = sameKind(b, out);
    sameShape(b, out);
    Loops loops = Loops.of(function, null, Elements.of(a.type()), second, Elements.of(out.type()));
    return withInput(
        "transform",
        a,
        out,
        b.isAlignedWith(out),
        (run, from, to) -> {
          View other = View.aligned(run, b, out);
          run.stretches(
              0,
              to.count(),
              (_, at, count) ->
                  loops.zip(
                      function,
                      from.elements(),
                      from.address(at),
                      second,
                      other.address(at),
                      to.elements(),
                      to.address(at),
                      count),
              from,
              other,
              to);
        });
  }

  /** Copies the elements of an array to another of the same shape and type, divided in any way. */
  public static Operation<DistributedArray> copy(DistributedArray in, DistributedArray out) {
    sameShape(in, out);
    if (in.type() != out.type()) {
      throw new IllegalArgumentException(
          "copying %s elements to %s; transform them".formatted(in.type(), out.type()));
    }
    return Operation.collective(
            out.team(),
            "copy",
            run -> {
              run.communicate(
                  comm ->
                      Movement.move(
                          comm,
                          in.type(),
                          in.distribution(),
                          in.part(),
                          in.view().memory(),
                          out.distribution(),
                          out.part(),
                          out.view().memory()));
              long[][] _ = run.gatherLast();
              return out;
            })
        .about(in, out);
  }

  private interface InputBody {
    void run(Run run, View from, View to);
  }

  private static Operation<DistributedArray> withInput(
      String name, DistributedArray in, DistributedArray out, boolean othersAlign, InputBody body) {
    sameShape(in, out);
    boolean local = othersAlign && in.isAlignedWith(out);
    Run.Body<DistributedArray> whole =
        run -> {
          body.run(run, View.aligned(run, in, out), out.view());
          if (!local) {
            long[][] _ = run.gatherLast();
          }
          return out;
        };
    Operation<DistributedArray> operation =
        local
            ? Operation.local(out.team(), name, whole)
            : Operation.collective(out.team(), name, whole);
    return operation.about(in, out);
  }

  /** Returns the elements of an array whose values are of the same sort as another's. */
  static Elements sameKind(DistributedArray array, DistributedArray other) {
    if (array.type().kind() != other.type().kind()) {
      throw new IllegalArgumentException(
          "arrays of %s and %s; give two of integers, of floating-point or of complex numbers"
              .formatted(array.type(), other.type()));
    }
    return Elements.of(array.type());
  }

  static void sameShape(DistributedArray array, DistributedArray other) {
    if (array.team() != other.team()) {
      throw new IllegalArgumentException(
          "%s and %s are of two teams; give arrays of one team".formatted(array, other));
    }
    if (!array.shape().equals(other.shape())) {
      throw new IllegalArgumentException(
          "arrays of shapes %s and %s; give two of one shape"
              .formatted(array.shape(), other.shape()));
    }
  }
}
