package dev.rialto.fft.stage;

import dev.rialto.array.Array;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Resource;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The arrays that a plan is given, as memory: their own, or a copy of what each rank owns where a
 * halo lies around it. Copies are made in memory that is kept for the next time. Memory of a device
 * is lent by the runtime from {@link #read} to {@link #store} or {@link #release}.
 */
public final class Operands implements AutoCloseable {
  private static final String WITHOUT_HALO = "a field without its halo";

  private final @Nullable DevicePlace place;
  private final Side source = new Side();
  private final Side target = new Side();

  /** Makes them for a plan on the host, or on a device. */
  public Operands(@Nullable DevicePlace place) {
    this.place = place;
  }

  /** One of the two arrays. */
  private static final class Side implements AutoCloseable {
    private @Nullable Resource copy;
    private @Nullable Buffer packed;
    private @Nullable Resource lent;

    /** Returns memory of the host that holds what a rank owns. */
    MemorySegment copy(Array array) {
      long bytes = array.owned().bytes();
      Resource kept = copy;
      if (kept == null || kept.segment().byteSize() < bytes) {
        if (kept != null) {
          kept.close();
        }
        kept = array.space().client().lend(WITHOUT_HALO, bytes);
        copy = kept;
      }
      return kept.segment();
    }

    /** Returns a buffer of the device that holds what a rank owns. */
    Buffer packed(Array array) {
      long bytes = array.owned().bytes();
      Buffer kept = packed;
      if (kept == null || kept.bytes() < bytes) {
        if (kept != null) {
          kept.close();
        }
        kept = array.space().client().empty(WITHOUT_HALO, bytes);
        packed = kept;
      }
      return kept;
    }

    MemorySegment lend(Array array, Buffer buffer, boolean writes) {
      lent = array.space().client().resource(buffer, writes);
      return lent.segment();
    }

    long bytes() {
      return (copy == null ? 0 : copy.segment().byteSize()) + (packed == null ? 0 : packed.bytes());
    }

    void takeBack() {
      Resource open = lent;
      lent = null;
      if (open != null) {
        open.close();
      }
    }

    @Override
    public void close() {
      takeBack();
      if (packed != null) {
        packed.close();
      }
      if (copy != null) {
        copy.close();
      }
    }
  }

  /** Returns the bytes of copies that are kept. */
  public long bufferBytes() {
    return source.bytes() + target.bytes();
  }

  /** Returns whether a transform works in its arrays' memory; one with a halo is copied. */
  public static boolean isOneMemory(Array in, Array out) {
    return in == out && isDense(in);
  }

  /** Returns an array's elements, to be read; {@code out} is what will be written. */
  public MemorySegment read(
      Array array, Array out, Distribution distribution, DType type, String role) {
    check(array, distribution, type, role);
    if (isOneMemory(array, out)) {
      // Lent once, to be written.
      return MemorySegment.NULL;
    }
    if (array.isOnDevice()) {
      if (isDense(array)) {
        return source.lend(array, array.buffer(), false);
      }
      Buffer packed = source.packed(array);
      client(array).copy(owned(array), dense(array, packed));
      return source.lend(array, packed, false);
    }
    if (isDense(array)) {
      return array.local();
    }
    MemorySegment copy = source.copy(array);
    array.copyTo(copy);
    return copy;
  }

  /** Returns memory for an array's elements, to be written; {@link #store} ends it. */
  public MemorySegment write(Array array, Distribution distribution, DType type, String role) {
    check(array, distribution, type, role);
    if (array.isOnDevice()) {
      return target.lend(array, isDense(array) ? array.buffer() : target.packed(array), true);
    }
    return isDense(array) ? array.local() : target.copy(array);
  }

  public void store(Array array, MemorySegment written) {
    release();
    if (isDense(array)) {
      return;
    }
    if (array.isOnDevice()) {
      client(array).copy(dense(array, target.packed(array)), owned(array));
    } else {
      array.copyFrom(written);
    }
  }

  /** Gives memory of a device back to the runtime. */
  public void release() {
    source.takeBack();
    target.takeBack();
  }

  private static ComputeClient client(Array array) {
    return array.space().client();
  }

  private static Tensor owned(Array array) {
    return new Tensor(array.buffer(), Shape.of(array.owned().count()), array.owned());
  }

  private static Tensor dense(Array array, Buffer buffer) {
    long count = array.owned().count();
    return new Tensor(buffer, Shape.of(count), Layout.contiguous(array.type(), count));
  }

  /** Returns whether the elements that a rank owns are all that its memory has. */
  private static boolean isDense(Array array) {
    return array.localShape().count() == array.owned().count();
  }

  private void check(Array array, Distribution distribution, DType type, String role) {
    String device = array.isOnDevice() ? client(array).device().name() : "the host";
    String own = place == null ? "the host" : place.name();
    if (!device.equals(own)) {
      throw new IllegalArgumentException(
          "%s on %s for a plan of %s; make the plan from an array where the others are, or copy the array there"
              .formatted(array, device, own));
    }
    checkLayout(array, distribution, type, role);
  }

  /** Checks that an array holds elements of a type that are divided in one way. */
  public static void checkLayout(Array array, Distribution distribution, DType type, String role) {
    if (array.type() != type || !array.distribution().equals(distribution)) {
      throw new IllegalArgumentException(
          "%s, divided as %s, for the %s of a plan for %s divided as %s; make one with the plan's new%s"
              .formatted(
                  array,
                  array.distribution(),
                  role.toLowerCase(Locale.ROOT),
                  type,
                  distribution,
                  role));
    }
  }

  @Override
  public void close() {
    source.close();
    target.close();
  }
}
