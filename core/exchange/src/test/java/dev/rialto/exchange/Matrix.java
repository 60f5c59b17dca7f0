package dev.rialto.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.exchange.codec.Codecs;
import dev.rialto.exchange.kernel.DevicePacking;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.transport.Transport;
import dev.rialto.exchange.transport.Transports;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemoryTransfer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a plan with every scheme and compares with what plain loops say, byte for byte. It needs a
 * communicator and nothing else, so ranks may be threads or processes.
 */
final class Matrix {
  private static final DType[] MOVED = {DType.F64, DType.C128, DType.I8, DType.F32, DType.F16};
  private static final DType[] ADDED = {DType.F64, DType.C64, DType.I32, DType.BF16, DType.I64};

  private Matrix() {}

  /** Every transport and staging, and whether it applies. */
  static List<Scheme> schemes() {
    List<Scheme> schemes = new ArrayList<>();
    for (Transport transport : Transports.all()) {
      for (Staging staging : Staging.values()) {
        schemes.add(new Scheme(transport.name(), staging, Codecs.NONE));
      }
    }
    return schemes;
  }

  /** Returns every {@code step}-th case for a number of ranks; each number leaves out others. */
  static List<PlanCase> cases(int ranks, int step) {
    List<PlanCase> all = PlanCases.all(ranks);
    return IntStream.range(0, all.size())
        .filter(i -> i % step == ranks % step)
        .mapToObj(all::get)
        .toList();
  }

  /** Runs one case on the calling rank, in the host's memory; collective. */
  static void run(Communicator comm, PlanCase which) {
    try (Exchanger exchanger = Exchanger.on(comm)) {
      run(comm, which, exchanger, null, schemes());
    }
  }

  /** Arrays of a device, which live as long as peers may have them mapped. */
  private record DeviceArrays(Device device, List<Allocation> all) implements AutoCloseable {
    MemorySegment allocate(long bytes) {
      Allocation array = device.memory().allocate(bytes);
      all.add(array);
      return array.segment();
    }

    @Override
    public void close() {
      all.forEach(Allocation::close);
    }
  }

  /** Runs one case on the calling rank, in a device's memory; collective. */
  static void run(Communicator comm, PlanCase which, Device device) {
    run(comm, which, device, schemes());
  }

  /** Runs one case on the calling rank by some schemes, in a device's memory; collective. */
  static void run(Communicator comm, PlanCase which, Device device, List<Scheme> schemes) {
    try (DeviceArrays arrays = new DeviceArrays(device, new ArrayList<>());
        DevicePacking kernels = DevicePacking.on(Devices.of(device));
        Exchanger exchanger = Exchanger.on(comm, ExchangeOptions.on(kernels))) {
      run(comm, which, exchanger, arrays, schemes);
    }
  }

  private static void run(
      Communicator comm,
      PlanCase which,
      Exchanger exchanger,
      @Nullable DeviceArrays arrays,
      List<Scheme> schemes) {
    ExchangePlan plan = which.maker().plan(exchanger.communicator());
    DType[] types = which.adds() ? ADDED : MOVED;
    // Types take turns, so that all of them meet every scheme in some case.
    int turn = Math.floorMod(which.name().hashCode(), types.length);
    for (Scheme scheme : schemes) {
      DType type = types[turn++ % types.length];
      if (scheme.refusal(plan, type, comm).isEmpty()) {
        run(exchanger, plan, which, scheme, type, arrays);
      }
    }
  }

  /** Runs one case by one scheme on the calling rank; collective. */
  static void run(
      Exchanger exchanger, ExchangePlan plan, PlanCase which, Scheme scheme, DType type) {
    run(exchanger, plan, which, scheme, type, null);
  }

  private static void run(
      Exchanger exchanger,
      ExchangePlan plan,
      PlanCase which,
      Scheme scheme,
      DType type,
      @Nullable DeviceArrays arrays) {
    Exchange exchange = exchanger.exchange(plan, type).scheme(scheme);
    // The second run finds everything made, the third runs in other memory.
    try (Arena arena = Arena.ofConfined();
        Arena other = Arena.ofConfined()) {
      check(which, exchange, plan.rank(), arena, 2, arrays);
      check(which, exchange, plan.rank(), other, 1, arrays);
    }
  }

  private static void check(
      PlanCase which,
      Exchange exchange,
      int rank,
      Arena arena,
      int runs,
      @Nullable DeviceArrays arrays) {
    DType type = exchange.type();
    double[] before = which.input().of(rank);
    double[] after = which.expected().of(rank);
    ExchangePlan plan = exchange.plan();
    assertThat(plan.inputCount()).as("input of %s", which).isEqualTo(before.length);
    assertThat(plan.outputCount()).as("output of %s", which).isEqualTo(after.length);
    MemorySegment in = arena.allocate(Math.max(type.bytes(before.length), 1), 64);
    MemorySegment out =
        which.inPlace() ? in : arena.allocate(Math.max(type.bytes(after.length), 1), 64);
    for (int run = 0; run < runs; run++) {
      out.fill((byte) 0x55);
      for (int i = 0; i < before.length; i++) {
        set(which, in, type, i, before[i]);
      }
      if (arrays != null) {
        runOn(arrays, exchange, in, out);
      } else {
        exchange.run(in, out);
      }
      for (int i = 0; i < after.length; i++) {
        if (after[i] != PlanCase.UNTOUCHED && !has(which, out, type, i, after[i], plan)) {
          throw new AssertionError(
              "%s by %s of %s, rank %d, run %d: element %d is wrong, it should be %s%n%s"
                  .formatted(
                      which, exchange.scheme(), type, rank, run, i, after[i], plan.explain(type)));
        }
      }
    }
  }

  private static void runOn(
      DeviceArrays arrays, Exchange exchange, MemorySegment in, MemorySegment out) {
    MemoryTransfer transfer = arrays.device().transfer();
    MemorySegment source = arrays.allocate(in.byteSize());
    MemorySegment result = in.address() == out.address() ? source : arrays.allocate(out.byteSize());
    transfer.copy(in, source, in.byteSize());
    transfer.copy(out, result, out.byteSize());
    exchange.run(source, result);
    transfer.copy(result, out, out.byteSize());
  }

  private static void set(
      PlanCase which, MemorySegment array, DType type, int index, double label) {
    if (which.adds()) {
      Elements.setNumber(array, type, index, label);
    } else {
      Elements.setPattern(array, type, index, (long) label);
    }
  }

  private static boolean has(
      PlanCase which, MemorySegment array, DType type, int index, double label, ExchangePlan plan) {
    if (!which.adds()) {
      return Elements.hasPattern(array, type, index, (long) label);
    }
    double number = Elements.number(array, type, index);
    // A mean need not be a number of few bits.
    double rounding = plan.combine() == Combine.AVERAGE ? Math.abs(label) * 0x1p-7 : 0;
    return Math.abs(number - label) <= rounding;
  }
}
