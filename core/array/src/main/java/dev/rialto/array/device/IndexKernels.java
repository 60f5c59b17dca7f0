package dev.rialto.array.device;

import dev.rialto.array.IntegerArray;
import dev.rialto.array.RealArray;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.Places;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.jit.kernel.Bindings;
import dev.rialto.jit.kernel.IndexedMemory;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.error.CompilationException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The kernels of functions of indices on a device.
 *
 * <p>A kernel is made for the code of a function and for where the elements lie of the array that
 * is set and of those that are read; launches pass the arrays, so that others of the same space
 * need no other kernel. Numbers that the function captures are constants of the kernel until a
 * third value of them comes; then launches pass these too.
 */
public final class IndexKernels implements AutoCloseable {
  /** Functions that capture another object each time would make any number of kernels. */
  private static final int MOST_KERNELS = 256;

  private static final int MOST_VALUES = 2;

  /** The stand-in for a number in the key of a kernel whose launches pass it. */
  private static final String PASSED = "a number of each launch";

  /** The stand-in for the array that is set. */
  private static final String OUT = "the array that is set";

  /**
   * A kernel with what its launches pass.
   *
   * @param arrays for each array that it reads the place among what the function captures, or the
   *     array itself where an object that is captured has it
   * @param memory where the elements of those lie
   */
  private record Made(JavaKernel kernel, List<Object> arrays, List<IndexedMemory> memory) {}

  private final ComputeClient client;

  /** Those used last, the longest ago first. */
  private final Map<List<@Nullable Object>, Made> made = new LinkedHashMap<>();

  /** The numbers that each function was seen with, as long as they are few. */
  private final Map<List<@Nullable Object>, Set<List<Object>>> seen = new LinkedHashMap<>();

  /** Functions with numbers that must be constants, such as the length of an array. */
  private final Set<List<@Nullable Object>> fixed = new HashSet<>();

  IndexKernels(ComputeClient client) {
    this.client = client;
  }

  /** Sets every element to a function of its indices, of which there are one to three. */
  public static ArrayOperation<Operand> set(Operand out, Object function) {
    Operands.requireReal(out);
    var _ = DeviceLayout.of(out).memory();
    return ArrayOperation.local(
            "set",
            _ -> {
              if (out.layout().count() > 0) {
                DeviceElementwise.kernels(out).indices().launch(out, function);
              }
              return out;
            })
        .about(out);
  }

  private void launch(Operand out, Object function) {
    List<Object> site = JavaKernels.identity(function);
    List<Object> captured = new ArrayList<>(site.subList(Math.min(2, site.size()), site.size()));
    captured.replaceAll(
        each -> {
          Operand array = find(out, each);
          return array == null ? each : array;
        });
    Made chosen = choose(out, function, site, captured);
    List<Object> arguments = new ArrayList<>();
    arguments.add(out.buffer());
    for (Object each : chosen.arrays()) {
      Operand array = (Operand) (each instanceof Integer at ? captured.get(at) : each);
      if (array.buffer() == out.buffer()) {
        throw new IllegalArgumentException(
            "%s is set and %s is read, in one array; copy one of them first".formatted(out, array));
      }
      arguments.add(array.buffer());
    }
    for (int place : chosen.kernel().numbers()) {
      arguments.add(captured.get(place));
    }
    long items =
        out.shape().rank() == 1
            ? out.layout().count()
            : Tiles.of(DeviceLayout.of(out).extents()).items();
    chosen.kernel().launch(items, arguments.toArray());
  }

  /** Returns the array that an object is which a function captured; null if it is none. */
  private static @Nullable Operand find(Operand out, Object captured) {
    return out.team().find(captured);
  }

  private Made choose(Operand out, Object function, List<Object> site, List<Object> captured) {
    List<@Nullable Object> key = new ArrayList<>();
    key.add(DeviceLayout.of(out).memory());
    key.add(DeviceLayout.of(out).extents());
    key.addAll(site.subList(0, site.size() - captured.size()));
    List<@Nullable Object> structure = new ArrayList<>(key);
    List<Object> numbers = new ArrayList<>();
    for (Object each : captured) {
      boolean isNumber =
          each instanceof Number || each instanceof Boolean || each instanceof Character;
      if (isNumber) {
        numbers.add(each);
      }
      Object part = each instanceof Operand array ? part(out, array, captured) : each;
      key.add(part);
      structure.add(isNumber ? PASSED : part);
    }
    if (isSeenOften(structure, numbers)) {
      try {
        return kept(structure, out, function, captured, true);
      } catch (CompilationException e) {
        // A number that must be a constant; if something else is wrong, it is refused below.
        fixed.add(structure);
      }
    }
    return kept(key, out, function, captured, false);
  }

  private Object part(Operand out, Operand array, List<Object> captured) {
    if (array == out) {
      return OUT;
    }
    int first = place(array, captured);
    IndexedMemory memory = memory(array);
    return List.of(first, memory);
  }

  /** Returns where an array is first among what a function captures, or -1. */
  @SuppressWarnings("ReferenceEquality") // objects may be equal and have other memory
  private static int place(Object array, List<Object> captured) {
    for (int i = 0; i < captured.size(); i++) {
      if (captured.get(i) == array) {
        return i;
      }
    }
    return -1;
  }

  private boolean isSeenOften(List<@Nullable Object> structure, List<Object> numbers) {
    Set<List<Object>> values = seen.remove(structure);
    if (values == null) {
      values = new HashSet<>();
    }
    seen.put(structure, values);
    if (seen.size() > MOST_KERNELS) {
      List<@Nullable Object> oldest = seen.keySet().iterator().next();
      seen.remove(oldest);
      fixed.remove(oldest);
    }
    if (values.size() <= MOST_VALUES) {
      values.add(numbers);
    }
    return values.size() > MOST_VALUES && !fixed.contains(structure);
  }

  private Made kept(
      List<@Nullable Object> key,
      Operand out,
      Object function,
      List<Object> captured,
      boolean passes) {
    Made known = made.remove(key);
    if (known != null && !isCurrent(known)) {
      known.kernel().close();
      known = null;
    }
    Made kept = known == null ? make(out, function, captured, passes) : known;
    made.put(key, kept);
    if (made.size() > MOST_KERNELS) {
      var oldest = made.values().iterator();
      oldest.next().kernel().close();
      oldest.remove();
    }
    return kept;
  }

  /** Returns whether what captured objects have is what it was, and lies where it did. */
  private boolean isCurrent(Made kernel) {
    if (!kernel.kernel().isCurrent()) {
      return false;
    }
    for (int i = 0; i < kernel.arrays().size(); i++) {
      if (kernel.arrays().get(i) instanceof Operand array
          && !memory(array).equals(kernel.memory().get(i))) {
        return false;
      }
    }
    return true;
  }

  private Made make(Operand out, Object function, List<Object> captured, boolean passes) {
    Bindings bindings =
        new Bindings(
            object -> {
              Operand array = find(out, object);
              return array == null ? null : memory(array);
            },
            out.array(),
            function,
            passes,
            DeviceKernels.TRUSTED);
    JavaKernels on =
        JavaKernels.on(client)
            .withBlockSize(DeviceKernels.BLOCK)
            .withElements(out.type())
            .withBindings(bindings);
    JavaKernel kernel = kernel(on, function, IndexPlaces.of(DeviceLayout.of(out).memory()), out);
    List<Object> arrays = new ArrayList<>();
    List<IndexedMemory> memory = new ArrayList<>();
    for (Object each : kernel.arrays()) {
      Operand array = Objects.requireNonNull(find(out, each));
      int place = place(array, captured);
      arrays.add(place < 0 ? array : (Object) place);
      memory.add(memory(array));
    }
    return new Made(kernel, arrays, memory);
  }

  /** Returns where the elements of an array lie that a function reads. */
  private IndexedMemory memory(Operand array) {
    if (array.client().device() != client.device()) {
      throw new IllegalArgumentException(
          "a function on %s reads %s on %s; copy that to an array there"
              .formatted(client.device().name(), array, array.client().device().name()));
    }
    return DeviceLayout.of(array).memory();
  }

  /** Returns how many are kept. */
  public int count() {
    return made.size();
  }

  private static JavaKernel kernel(JavaKernels on, Object f, IndexPlaces to, Operand out) {
    return switch (f) {
      case RealArray.At1 at -> realLine(on, at, to, from(DeviceLayout.of(out).first(0)));
      case RealArray.At2 at -> reals(on, (_, i, j) -> at.at(i, j), to, out);
      case RealArray.At3 at -> reals(on, at, to, out);
      case IntegerArray.At1 at -> integerLine(on, at, to, from(DeviceLayout.of(out).first(0)));
      case IntegerArray.At2 at -> integers(on, (_, i, j) -> at.at(i, j), to, out);
      case IntegerArray.At3 at -> integers(on, at, to, out);
      default -> throw new IllegalArgumentException("no function of indices: " + f);
    };
  }

  private static Places from(long first) {
    return n -> first + n;
  }

  /** Returns the indices of the last axis, of the one before it, or of that before both. */
  private static Places from(Operand out, int before) {
    int axis = out.shape().rank() - 1 - before;
    return axis < 0 ? Places.DENSE : from(DeviceLayout.of(out).first(axis));
  }

  private static JavaKernel realLine(JavaKernels on, RealArray.At1 f, IndexPlaces to, Places at) {
    return on.kernel(
        (Item it, Reals z) ->
            z.set(to.of(0, 0, at.of(it.global())), f.applyAsDouble(at.of(it.global()))));
  }

  private static JavaKernel integerLine(
      JavaKernels on, IntegerArray.At1 f, IndexPlaces to, Places at) {
    return on.kernel(
        (Item it, Integers z) ->
            z.set(to.of(0, 0, at.of(it.global())), f.applyAsLong(at.of(it.global()))));
  }

  private static JavaKernel reals(JavaKernels on, RealArray.At3 f, IndexPlaces to, Operand out) {
    Tiles tiles = Tiles.of(DeviceLayout.of(out).extents());
    Tiles.Along plane = tiles.i();
    Tiles.Along row = tiles.j();
    Tiles.Along column = tiles.k();
    Tiles.Inside inside = tiles.inside();
    Places i = from(out, 2);
    Places j = from(out, 1);
    Places k = from(out, 0);
    return on.kernel(
        (Item it, Reals z) -> {
          int block = (int) it.block();
          int a = plane.of(block, it.local());
          int b = row.of(block, it.local());
          int c = column.of(block, it.local());
          if (inside.of(a, b, c)) {
            z.set(to.of(i.of(a), j.of(b), k.of(c)), f.at(i.of(a), j.of(b), k.of(c)));
          }
        });
  }

  private static JavaKernel integers(
      JavaKernels on, IntegerArray.At3 f, IndexPlaces to, Operand out) {
    Tiles tiles = Tiles.of(DeviceLayout.of(out).extents());
    Tiles.Along plane = tiles.i();
    Tiles.Along row = tiles.j();
    Tiles.Along column = tiles.k();
    Tiles.Inside inside = tiles.inside();
    Places i = from(out, 2);
    Places j = from(out, 1);
    Places k = from(out, 0);
    return on.kernel(
        (Item it, Integers z) -> {
          int block = (int) it.block();
          int a = plane.of(block, it.local());
          int b = row.of(block, it.local());
          int c = column.of(block, it.local());
          if (inside.of(a, b, c)) {
            z.set(to.of(i.of(a), j.of(b), k.of(c)), f.at(i.of(a), j.of(b), k.of(c)));
          }
        });
  }

  @Override
  public void close() {
    made.values().forEach(each -> each.kernel().close());
    made.clear();
  }
}
