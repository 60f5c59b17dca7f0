package dev.rialto.array;

import static dev.rialto.spi.memory.AddressSpace.MEMORY;

import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Algorithms that take each element by itself. They need nothing of the communicator as long as
 * their arrays are divided alike; elements of others are moved first, which needs collectives.
 *
 * <p>A function is compiled into its loop, so that these run as fast as memory does.
 */
final class Elementwise {
  /** What a fill copies again and again. */
  private static final long FILL_BYTES = 4096;

  private Elementwise() {}

  /** Sets every element to a value. */
  static ArrayOperation<Array> fill(Array array, long[] words) {
    array.requireStored("filling");
    if (array.isOnDevice()) {
      return OnDevice.fill(array, words);
    }
    Elements elements = Elements.of(array.type());
    return ArrayOperation.local(
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
      MemorySegment.copy(MEMORY, address, MEMORY, address + done, more);
      done += more;
    }
  }

  /** Sets every element to a function of its number. */
  static ArrayOperation<Array> generate(Array array, Object generator) {
    array.requireStored("setting");
    return array.isOnDevice()
        ? OnDevice.generate(array, generator)
        : numbered("generate", array, generator, Loops::generate);
  }

  /** Sets every element to a function of its indices, of which there are one to three. */
  static ArrayOperation<Array> generate(Array array, int axes, Object function) {
    array.requireStored("setting");
    Shape shape = array.shape();
    if (shape.rank() != axes) {
      throw new IllegalArgumentException(
          "a function of %d indices for an array of shape %s; give one of %d"
              .formatted(axes, shape, shape.rank()));
    }
    if (array.isOnDevice()) {
      return IndexKernels.set(array, function);
    }
    return numbered(
        "set",
        array,
        function,
        (loops, f, number, elements, address, count) -> {
          if (axes == 1) {
            loops.generate(f, number, elements, address, count);
          } else {
            loops.generate(f, shape, number, elements, address, count);
          }
        });
  }

  /** Calls a visitor with each element's number and value, on the rank that owns it. */
  static ArrayOperation<Array> forEach(Array array, Object visitor) {
    if (array.isOnDevice()) {
      throw new UnsupportedOperationException(
          "forEach of %s, on %s: a visitor changes what is on the host; copy the array to one of space().onHost(), or set another to a function of it"
              .formatted(array, array.client().device().name()));
    }
    return numbered("forEach", array, visitor, Loops::visit);
  }

  private interface Numbered {
    void run(
        Loops loops, Object function, long number, Elements elements, long address, long count);
  }

  /** Does something with stretches of elements whose numbers follow one another too. */
  private static ArrayOperation<Array> numbered(
      String name, Array array, Object function, Numbered body) {
    Elements elements = array.elements();
    Loops loops = Loops.of(function, null, elements);
    return ArrayOperation.local(
            array.team(),
            name,
            run -> {
              View view = array.values();
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
  private static long consecutive(Array array, long at, long end) {
    long number = array.elementAt(at);
    long same = 1;
    while (at + same < end && array.elementAt(at + same) == number + same) {
      same++;
    }
    return same;
  }

  /** Sets {@code out[i] = f(in[i])}; the arrays may be one. */
  static ArrayOperation<Array> transform(Array in, Array out, Object f) {
    out.requireStored("setting");
    if (OnDevice.any(in, out)) {
      return OnDevice.transform(in, out, f);
    }
    Loops loops = Loops.of(f, null, in.elements(), out.elements());
    return transform(
        out,
        (run, to, from) ->
            run.stretches(
                0,
                to.count(),
                (_, at, count) ->
                    loops.map(
                        f,
                        from[0].elements(),
                        from[0].address(at),
                        to.elements(),
                        to.address(at),
                        count),
                from[0],
                to),
        in);
  }

  /** Sets {@code out[i] = f(a[i], b[i])}; any of the arrays may be the same. */
  static ArrayOperation<Array> transform(Array a, Array b, Array out, Object f) {
    out.requireStored("setting");
    if (OnDevice.any(a, b, out)) {
      return OnDevice.transform(a, b, out, f);
    }
    Loops loops = Loops.of(f, null, a.elements(), b.elements(), out.elements());
    return transform(
        out,
        (run, to, from) ->
            run.stretches(
                0,
                to.count(),
                (_, at, count) ->
                    loops.zip(
                        f,
                        from[0].elements(),
                        from[0].address(at),
                        from[1].elements(),
                        from[1].address(at),
                        to.elements(),
                        to.address(at),
                        count),
                from[0],
                from[1],
                to),
        a,
        b);
  }

  /** Sets {@code out[i]} to a function of the elements of any number of arrays. */
  static ArrayOperation<Array> transformMany(Object f, Array out, Array... in) {
    out.requireStored("setting");
    if (out.isOnDevice() || OnDevice.any(in)) {
      return OnDevice.transformMany(f, out, in);
    }
    return transform(
        out,
        (run, to, from) -> {
          View[] views = Arrays.copyOf(from, in.length + 1);
          views[in.length] = to;
          Loops loops =
              Loops.of(f, null, Arrays.stream(views).map(View::elements).toArray(Elements[]::new));
          Elements[] elements = Arrays.stream(from).map(View::elements).toArray(Elements[]::new);
          run.stretches(
              0,
              to.count(),
              (_, at, count) -> {
                long[] places = new long[in.length];
                Arrays.setAll(places, i -> from[i].address(at));
                loops.mapMany(f, elements, places, to.elements(), to.address(at), count);
              },
              views);
        },
        in);
  }

  private interface Body {
    void run(OperationRunner run, View to, View[] from);
  }

  private static ArrayOperation<Array> transform(Array out, Body body, Array... in) {
    boolean aligned = true;
    for (Array each : in) {
      sameShape(each, out);
      Array.requireApart(each, out);
      aligned &= each.isAlignedWith(out);
    }
    boolean local = aligned;
    OperationRunner.Body<Array> whole =
        run -> {
          View[] from = new View[in.length];
          Arrays.setAll(from, i -> View.aligned(run, in[i], out));
          body.run(run, out.view(), from);
          if (!local) {
            long[][] _ = run.gatherLast();
          }
          return out;
        };
    Object[] subjects = Arrays.copyOf(in, in.length + 1, Object[].class);
    subjects[in.length] = out;
    return (local
            ? ArrayOperation.local(out.team(), "transform", whole)
            : ArrayOperation.collective(out.team(), "transform", whole))
        .about(subjects);
  }

  /** Copies the elements of an array to another of the same shape and type, divided in any way. */
  static ArrayOperation<Array> copy(Array in, Array out) {
    out.requireStored("setting");
    sameShape(in, out);
    if (in.type() != out.type()) {
      throw new IllegalArgumentException(
          "copying %s elements to %s; set them with a function".formatted(in.type(), out.type()));
    }
    if (OnDevice.any(in, out)) {
      return DeviceCopy.copy(in, out);
    }
    return ArrayOperation.collective(
            out.team(),
            "copy",
            run -> {
              run.move(View.stored(run, in.values()), out.view());
              long[][] _ = run.gatherLast();
              return out;
            })
        .about(in, out);
  }

  static void sameShape(Array array, Array other) {
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
