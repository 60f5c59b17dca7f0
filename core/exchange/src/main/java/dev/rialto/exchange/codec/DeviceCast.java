package dev.rialto.exchange.codec;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.ArrayKernels;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** {@link Cast} by kernels of a device, on its memory. Calls are in order with a stream. */
final class DeviceCast implements Codec {
  private final Cast cast;
  private final Device device;
  private final Stream stream;
  private final ArrayKernels kernels;
  private final Map<Conversion, ArrayKernels.Prepared> conversions = new HashMap<>();

  private record Conversion(DType from, DType to, long count) {}

  DeviceCast(Cast cast, Device device, ArrayKernels kernels, Stream stream) {
    this.cast = cast;
    this.device = device;
    this.kernels = kernels;
    this.stream = stream;
  }

  @Override
  public String name() {
    return cast.name();
  }

  @Override
  public boolean lossless() {
    return false;
  }

  @Override
  public boolean fixedLength() {
    return true;
  }

  @Override
  public boolean keeps(DType type, double number, double decoded) {
    return cast.keeps(type, number, decoded);
  }

  @Override
  public boolean onHost() {
    return false;
  }

  @Override
  public Optional<String> refusal(DType type) {
    return cast.refusal(type);
  }

  @Override
  public long bound(DType type, long count) {
    return cast.bound(type, count);
  }

  private static DType wide(DType type) {
    return type == DType.F64 || type == DType.C128 ? DType.F64 : DType.F32;
  }

  private DType narrow(DType type) {
    return cast.narrow(type) == 2 ? DType.BF16 : DType.F32;
  }

  private void convert(MemorySegment from, DType a, MemorySegment to, DType b, long count) {
    conversions
        .computeIfAbsent(new Conversion(a, b, count), c -> kernels.convert(c.from, c.to, c.count))
        .run(from, to, stream);
  }

  private static long numbers(DType type, long count) {
    return type.bytes(count) / wide(type).size();
  }

  @Override
  public long encode(MemorySegment from, DType type, long count, MemorySegment to) {
    convert(from, wide(type), to, narrow(type), numbers(type, count));
    return bound(type, count);
  }

  @Override
  public void decode(MemorySegment from, long bytes, MemorySegment to, DType type, long count) {
    convert(from, narrow(type), to, wide(type), numbers(type, count));
  }

  /** A relative error is found number by number, on the host. */
  @Override
  public Deviation deviation(MemorySegment a, MemorySegment b, DType type, long count) {
    stream.await();
    try (Arena arena = Arena.ofConfined()) {
      long bytes = type.bytes(count);
      MemorySegment elements = arena.allocate(bytes, 64);
      MemorySegment decoded = arena.allocate(bytes, 64);
      // Memory of a device has no size; buffers of an exchange have been given one.
      device.transfer().copy(MemorySegment.ofAddress(a.address()), elements, bytes);
      device.transfer().copy(MemorySegment.ofAddress(b.address()), decoded, bytes);
      return cast.deviation(elements, decoded, type, count);
    }
  }
}
