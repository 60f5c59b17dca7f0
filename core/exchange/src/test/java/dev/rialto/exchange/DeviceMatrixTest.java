package dev.rialto.exchange;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.exchange.kernel.DevicePacking;
import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Region;
import dev.rialto.exchange.plan.Transpose;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.runtime.ComputeStream;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.tck.TestDevices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every plan by every scheme in a device's memory; a device that is not here is skipped. */
@Tag("gpu")
class DeviceMatrixTest {
  @ParameterizedTest
  @ValueSource(strings = {"plain", "cuda"})
  void everyPlanByEverySchemeMatchesPlainLoops(String name) {
    Device device = TestDevices.get(name);
    long before = device.memory().used();
    for (int ranks : new int[] {1, 2, 4}) {
      try (World world = World.local(ranks)) {
        world.run(
            comm -> {
              for (PlanCase each : Matrix.cases(ranks, ranks == 4 ? 5 : 3)) {
                Matrix.run(comm, each, device);
              }
            });
      }
    }
    assertThat(device.memory().used()).isEqualTo(before);
  }

  /** Devices that are connected: only what then goes another way. */
  @ParameterizedTest
  @ValueSource(strings = {"plain-connected", "cuda-connected"})
  void connectedDevicesExchangeWithoutTheHost(String name) {
    List<Scheme> schemes =
        Matrix.schemes().stream()
            .filter(s -> Set.of("point-to-point", "all-to-all").contains(s.transport()))
            .toList();
    for (int ranks = 1; ranks <= 4; ranks++) {
      List<Device> devices = TestDevices.get(name, ranks);
      int step = ranks == 4 ? 2 : 1;
      List<PlanCase> cases = Matrix.cases(ranks, step);
      long before = used(devices);
      try (World world = World.local(ranks)) {
        world.run(
            comm -> {
              for (PlanCase each : cases) {
                Matrix.run(comm, each, devices.get(comm.rank()), schemes);
              }
            });
      }
      assertThat(used(devices)).isEqualTo(before);
    }
  }

  private static long used(List<Device> devices) {
    return devices.stream().mapToLong(device -> device.memory().used()).sum();
  }

  @ParameterizedTest
  @CsvSource({
    "plain-connected, point-to-point/fused, 'from device to device by '",
    "plain-connected, all-to-all, 'from device to device by '",
    "plain-connected, point-to-point/bulk/cast, 'from device to device by '",
    "plain-connected, point-to-point/bulk/lz4, through memory of the host",
    "plain-connected, shared, read one another's memory",
    "plain, point-to-point, devices are not connected: plain:0 has no collectives",
    "cuda-connected, point-to-point, 'from device to device by '",
    "cuda, point-to-point, devices are not connected",
  })
  void anExchangeSaysHowMessagesTravel(String name, String scheme, String way) {
    List<Device> devices = TestDevices.get(name, 2);
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (DevicePacking kernels = DevicePacking.on(Devices.of(devices.get(comm.rank())));
                Exchanger exchanger = Exchanger.on(comm, ExchangeOptions.on(kernels))) {
              Exchange exchange = exchanger.exchange(transposeOf(comm), DType.F64);
              assertThat(exchange.scheme(scheme).explain())
                  .contains("rank " + comm.rank() + " of 2", scheme + ": ", way);
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "cuda"})
  void theTunerTimesArraysOfTheDevice(String name) {
    Device device = TestDevices.get(name);
    long before = device.memory().used();
    try (World world = World.local(2)) {
      List<Tuned> answers =
          world.call(
              comm -> {
                try (Arena arena = Arena.ofConfined();
                    DevicePacking kernels = DevicePacking.on(Devices.of(device));
                    Exchanger exchanger = Exchanger.on(comm, ExchangeOptions.on(kernels))) {
                  Tuner tuner = new Tuner(exchanger).turns(1);
                  ExchangePlan plan = transposeOf(comm);
                  MemorySegment in = kernels.array(DType.F64.bytes(plan.inputCount()), arena);
                  MemorySegment out = kernels.array(DType.F64.bytes(plan.outputCount()), arena);
                  assertThat(tuner.plan(plan, DType.F64, in, out).candidates()).isNotEmpty();
                  return tuner.transpose(Shape.of(5, 8, 6), DType.C128);
                }
              });
      assertThat(answers.get(1).way()).isEqualTo(answers.get(0).way());
      assertThat(answers.getFirst().candidates())
          .allMatch(candidate -> candidate.seconds() > 0)
          .extracting(candidate -> candidate.way().schemeText())
          .contains("shared", "point-to-point", "all-to-all", "rma-pull");
    }
    assertThat(device.memory().used()).isEqualTo(before);
  }

  /** Several exchanges and kernels after them, without a wait in between. */
  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "cuda", "cuda-connected"})
  void whatComesAfterInTheStreamFindsWhatWasReceived(String name) {
    List<Device> devices = TestDevices.get(name, 2);
    try (World world = World.local(2)) {
      world.run(comm -> thereAndBack(comm, devices.get(comm.rank())));
    }
  }

  private static void thereAndBack(Communicator comm, Device device) {
    Shape shape = Shape.of(30, 20);
    ExchangePlan there = transposeOf(comm);
    ExchangePlan back =
        Transpose.plan(Grid.block(shape, 1, 2), Grid.block(shape, 2, 1), comm.rank());
    long bytes = DType.F64.bytes(300);
    try (Arena arena = Arena.ofConfined();
        ComputeStream opened = Devices.of(device).openStream();
        DevicePacking kernels = DevicePacking.on(Devices.of(device), opened);
        Exchanger exchanger = Exchanger.on(comm, ExchangeOptions.on(kernels));
        Allocation a = device.memory().allocate(bytes);
        Allocation b = device.memory().allocate(bytes)) {
      MemorySegment in = arena.allocate(bytes, 64);
      MemorySegment got = arena.allocate(bytes, 64);
      for (int i = 0; i < 300; i++) {
        in.setAtIndex(JAVA_DOUBLE, i, Math.sin(i + 300 * comm.rank()));
      }
      device.transfer().copy(in, a.segment(), bytes);
      ExchangeKernels.Kernel twice = kernels.scale(DType.F64, Region.contiguous(0, 300), 2);
      Exchange first = exchanger.exchange(there, DType.F64).scheme("point-to-point/fused");
      Exchange second = exchanger.exchange(back, DType.F64).scheme("all-to-all");
      for (int run = 0; run < 20; run++) {
        first.start(a.segment(), b.segment());
        first.awaitInStream();
        twice.run(b.segment(), b.segment());
        second.start(b.segment(), a.segment());
        second.awaitInStream();
      }
      opened.sync();
      device.transfer().copy(a.segment(), got, bytes);
      for (int i = 0; i < 300; i++) {
        double wanted = in.getAtIndex(JAVA_DOUBLE, i) * (1 << 20);
        assertThat(got.getAtIndex(JAVA_DOUBLE, i)).isEqualTo(wanted);
      }
    }
  }

  private static ExchangePlan transposeOf(Communicator comm) {
    Shape shape = Shape.of(30, 20);
    return Transpose.plan(Grid.block(shape, 2, 1), Grid.block(shape, 1, 2), comm.rank());
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected", "cuda", "cuda-connected"})
  void codecsKeepTheirBoundsInTheMemoryOfDevices(String name) {
    List<Device> devices = TestDevices.get(name, 2);
    for (String codec : List.of("cast", "cast:1e-2", "lz4")) {
      for (String transport :
          List.of("point-to-point/fused/", "all-to-all/bulk/", "shared/bulk/")) {
        try (World world = World.local(2)) {
          world.run(comm -> transposeAndCompare(comm, devices.get(comm.rank()), transport + codec));
        }
      }
    }
  }

  private static void transposeAndCompare(Communicator comm, Device device, String scheme) {
    ExchangePlan plan = transposeOf(comm);
    long bytes = DType.F64.bytes(300);
    try (Arena arena = Arena.ofConfined();
        DevicePacking kernels = DevicePacking.on(Devices.of(device));
        Exchanger exchanger = Exchanger.on(comm, ExchangeOptions.on(kernels));
        Exchanger plain = Exchanger.on(comm);
        Allocation source = device.memory().allocate(bytes);
        Allocation target = device.memory().allocate(bytes)) {
      MemorySegment in = arena.allocate(bytes, 64);
      MemorySegment got = arena.allocate(bytes, 64);
      MemorySegment wanted = arena.allocate(bytes, 64);
      for (int i = 0; i < 300; i++) {
        in.setAtIndex(JAVA_DOUBLE, i, Math.sin(i + 300 * comm.rank()));
      }
      plain.exchange(plan, DType.F64).run(in, wanted);
      device.transfer().copy(in, source.segment(), bytes);
      Exchange exchange = exchanger.exchange(plan, DType.F64).scheme(scheme);
      exchange.run(source.segment(), target.segment());
      device.transfer().copy(target.segment(), got, bytes);
      double most = scheme.endsWith("lz4") ? 0 : scheme.endsWith("2") ? 4e-3 : 6e-8;
      double worst = 0;
      for (int i = 0; i < 300; i++) {
        double apart = got.getAtIndex(JAVA_DOUBLE, i) - wanted.getAtIndex(JAVA_DOUBLE, i);
        worst = Math.max(worst, Math.abs(apart));
      }
      assertThat(worst).as(scheme).isLessThanOrEqualTo(most);
      assertThat(exchange.report().maxError()).as(scheme).isLessThanOrEqualTo(most);
      if (most > 0) {
        assertThat(exchange.report().maxError()).as(scheme).isPositive();
        assertThat(exchange.report().rmsError()).isCloseTo(most / 4, within(most / 4));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "cuda"})
  void arraysOfTheHostAreRefused(String name) {
    Device device = TestDevices.get(name);
    Shape shape = Shape.of(4, 4);
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            ExchangePlan plan = Transpose.plan(Grid.block(shape, 1, 1), Grid.block(shape, 1, 1), 0);
            try (Arena arena = Arena.ofConfined();
                DevicePacking kernels = DevicePacking.on(Devices.of(device));
                Exchanger exchanger = Exchanger.on(comm, ExchangeOptions.on(kernels))) {
              MemorySegment array = arena.allocate(128, 64);
              Exchange exchange = exchanger.exchange(plan, DType.F64);
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> exchange.run(array, arena.allocate(128, 64)))
                  .withMessageContaining(device.name() + " does not reach");
            }
          });
    }
  }
}
