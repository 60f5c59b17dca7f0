package dev.rialto.array.algorithm;

import static dev.rialto.system.AddressSpace.MEMORY;

import dev.rialto.array.device.DeviceCopy;
import dev.rialto.array.device.DeviceElementwise;
import dev.rialto.array.device.IndexKernels;
import dev.rialto.array.loop.Loops;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.SelfReads;
import dev.rialto.array.part.View;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Algorithms that take each element by itself. They need nothing of the communicator as long as
 * their arrays are divided alike; elements of others are moved first, which needs collectives.
 *
 * <p>A function is compiled into its loop, so that these run as fast as memory does.
 */
public final class Elementwise {
  /** The bytes that a fill copies again and again. */
  private static final long FILL_BYTES = 4096;

  private Elementwise() {}

  /** Sets every element to a value. */
  public static ArrayOperation<Operand> fill(Operand array, long[] words) {
    array.requireStored("filling");
    if (array.isOnDevice()) {
      return DeviceElementwise.fill(array, words);
    }
    Elements elements = Elements.of(array.type());
    return ArrayOperation.local(
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
  public static ArrayOperation<Operand> generate(Operand array, Object generator) {
    array.requireStored("setting");
    return array.isOnDevice()
        ? DeviceElementwise.generate(array, generator)
        : indexed("generate", array, generator, Loops::generate);
  }

  /** Sets every element to a function of its indices, of which there are one to three. */
  public static ArrayOperation<Operand> generate(Operand array, int axes, Object function) {
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
    return indexed(
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
  public static ArrayOperation<Operand> forEach(Operand array, Object visitor) {
    if (array.isOnDevice()) {
      throw new UnsupportedOperationException(
          "forEach of %s, on %s: a visitor changes what is on the host; copy the array to one of space().onHost(), or set another to a function of it"
              .formatted(array, array.client().device().name()));
    }
    return visited(array, visitor);
  }

  private interface Numbered {
    void run(
        Loops loops, Object function, long number, Elements elements, long address, long count);
  }

  /** Sets elements to a function of their indices, which reads other arrays. */
  private static ArrayOperation<Operand> indexed(
      String name, Operand array, Object function, Numbered body) {
    Elements elements = array.elements();
    Loops loops = Loops.of(function, null, elements);
    SelfReads.Stretch loop =
        (number, address, count) -> body.run(loops, function, number, elements, address, count);
    return ArrayOperation.local(
            name,
            run -> {
              try (SelfReads reads = SelfReads.watch(array, function)) {
                numbered(
                    run,
                    array,
                    (number, address, count) -> reads.run(number, address, count, loop));
              }
              return array;
            })
        .about(array);
  }

  /** Calls a visitor with stretches of elements. */
  private static ArrayOperation<Operand> visited(Operand array, Object visitor) {
    Elements elements = array.elements();
    Loops loops = Loops.of(visitor, null, elements);
    return ArrayOperation.local(
            "forEach",
            run -> {
              numbered(
                  run,
                  array,
                  (number, address, count) ->
                      loops.visit(visitor, number, elements, address, count));
              return array;
            })
        .about(array);
  }

  /** Does something with stretches of elements whose numbers follow one another too. */
  private static void numbered(OperationRunner run, Operand array, SelfReads.Stretch body) {
    View view = array.values();
    run.stretches(
        0,
        view.count(),
        (_, index, count) -> {
          long last = index + count;
          for (long at = index; at < last; ) {
            long same = view.isInOrder() ? last - at : consecutive(array, at, last);
            body.run(array.elementAt(at), view.address(at), same);
            at += same;
          }
        },
        view);
  }

  /** Returns how many elements have numbers that follow one another. */
  private static long consecutive(Operand array, long at, long end) {
    long number = array.elementAt(at);
    long same = 1;
    while (at + same < end && array.elementAt(at + same) == number + same) {
      same++;
    }
    return same;
  }

  /** Sets {@code out[i] = f(in[i])}; the arrays may be one. */
  public static ArrayOperation<Operand> transform(Operand in, Operand out, Object f) {
    out.requireStored("setting");
    if (Operands.anyOnDevice(in, out)) {
      return DeviceElementwise.transform(in, out, f);
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
  public static ArrayOperation<Operand> transform(Operand a, Operand b, Operand out, Object f) {
    out.requireStored("setting");
    if (Operands.anyOnDevice(a, b, out)) {
      return DeviceElementwise.transform(a, b, out, f);
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
  public static ArrayOperation<Operand> transformMany(
      Object f, Operand out, Operand first, Operand... more) {
    Operand[] in = new Operand[more.length + 1];
    in[0] = first;
    System.arraycopy(more, 0, in, 1, more.length);
    out.requireStored("setting");
    if (out.isOnDevice() || Operands.anyOnDevice(in)) {
      return DeviceElementwise.transformMany(f, out, in);
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

  private static ArrayOperation<Operand> transform(Operand out, Body body, Operand... in) {
    boolean aligned = true;
    for (Operand each : in) {
      Operands.requireSameShape(each, out);
      Operands.requireApart(each, out);
      aligned &= Operands.isAligned(each, out);
    }
    boolean local = aligned;
    OperationRunner.Body<Operand> whole =
        run -> {
          View[] from = new View[in.length];
          Arrays.setAll(from, i -> HostTemporaries.aligned(run, in[i], out));
          try (SelfReads _ = SelfReads.refuse(out)) {
            body.run(run, out.view(), from);
          }
          if (!local) {
            long[][] _ = run.gatherLast();
          }
          return out;
        };
    Object[] subjects = Arrays.copyOf(in, in.length + 1, Object[].class);
    subjects[in.length] = out;
    return (local
            ? ArrayOperation.local("transform", whole)
            : ArrayOperation.collective("transform", whole))
        .about(subjects);
  }

  /** Copies the elements of an array to another of the same shape and type, divided in any way. */
  public static ArrayOperation<Operand> copy(Operand in, Operand out) {
    out.requireStored("setting");
    Operands.requireSameShape(in, out);
    if (in.type() != out.type()) {
      throw new IllegalArgumentException(
          "copying %s elements to %s; set them with a function".formatted(in.type(), out.type()));
    }
    if (Operands.anyOnDevice(in, out)) {
      return DeviceCopy.copy(in, out);
    }
    return ArrayOperation.collective(
            "copy",
            run -> {
              run.move(HostTemporaries.stored(run, in.values()), out.view());
              long[][] _ = run.gatherLast();
              return out;
            })
        .about(in, out);
  }
}
