package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Profile;
import dev.rialto.runtime.Tensor;
import dev.rialto.runtime.Work;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.BackendException;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.error.MemoryException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackendTest {
  private static Program twice() {
    return Program.parse("twice", "input x f32[5]\ny[i] = 2 * x[i]");
  }

  private static double[] five(Program program, JitBackend backend) {
    return Machines.run(
        backend,
        program,
        Map.of(program.node("x"), new double[] {1, 2, 3, 4, 5}),
        program.node("y"));
  }

  @Test
  void unknownNamesAreToldWithTheKnownOnes() {
    assertThat(JitBackend.names()).contains("jvm", "sync_jvm", "cc", "sync_gccjit");
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> JitBackend.open("metal"))
        .withMessageContaining("metal")
        .withMessageContaining("sync_jvm");
  }

  @Test
  void aDeviceHasTheBackEndThatCompilesForItAndTheHostTheOneThatIsNamed() {
    ComputeClient host = Devices.host();
    assertThat(JitBackend.compilerOf(host.device())).isEmpty();
    try (JitBackend backend = JitBackend.on(host, "sync_jvm")) {
      assertThat(backend.name()).isEqualTo("sync_jvm");
    }
    JitBackend.targets()
        .values()
        .forEach(
            target ->
                target
                    .devices()
                    .forEach(
                        device -> {
                          ComputeDevice found = Devices.open(device.name()).device();
                          assertThat(JitBackend.compilerOf(found).orElseThrow().name())
                              .isEqualTo(target.name());
                        }));
  }

  @Test
  void devicesAreNumbered() {
    try (JitBackend backend = Machines.open("sync_jvm")) {
      assertThat(backend.physicalDevices()).isEqualTo(1);
      assertThat(backend.newDevice(0).name()).isEqualTo("sync_jvm:0.0");
      assertThat(backend.newDevice(0).subordinal()).isEqualTo(1);
      assertThat(backend.newDevice(0).isIdle()).isTrue();
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> backend.newDevice(1))
          .withMessageContaining("from 0 to 0");
    }
  }

  @Test
  void staticIndicesAreChecked() {
    Program program = Program.parse("slice", "static n 3\ninput x f32[3, 2]\ny[i] = x[n, i]");
    StaticIndex n = program.statics().iterator().next();
    try (JitBackend backend = Machines.open("sync_jvm");
        Compiled compiled = backend.compile(program);
        Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled);
        Context context = routine.context()) {
      context.write(program.node("x"), 0, 1, 2, 3, 4, 5);
      routine.bind(n, 2).run();
      assertThat(context.read(program.node("y"))).containsExactly(4, 5);
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> routine.bind(n, 3))
          .withMessageContaining("from 0 to 2");
    }
  }

  @Test
  void priorNodesMustBeThere() {
    Program program = twice();
    try (JitBackend backend = Machines.open("sync_jvm");
        Compiled compiled = backend.compile(program);
        Context empty = backend.newDevice(0).context()) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> backend.link(empty, compiled, Set.of(program.node("x"))))
          .withMessageContaining("lacks node x");
    }
  }

  @Test
  void contextsFreeWhatTheyAdded() {
    Program program = twice();
    try (ComputeDevice host = ComputeDevice.open(Devices.host().device().spi());
        JitBackend backend = Machines.open("sync_jvm");
        Compiled compiled = backend.compile(program);
        Context root = backend.newDevice(host.client()).context()) {
      try (Context outer = root.with(Set.of(program.node("x")))) {
        Routine routine = backend.link(outer, compiled);
        assertThat(routine.context().nodes()).containsExactly(program.node("x"), program.node("y"));
        assertThat(routine.context().parent()).contains(outer);
        routine.context().close();
        assertThat(outer.holds(program.node("x"))).isTrue();
        assertThat(host.client().memoryUsage().used()).isEqualTo(20);
        routine.close();
      }
      assertThat(host.client().memoryUsage().used()).isZero();
    }
  }

  @Test
  void memoryThatRunsOutIsToldWithTheNodesThatHoldIt() {
    Program program = twice();
    try (ComputeDevice host = ComputeDevice.open(Devices.host().device().spi());
        JitBackend backend = Machines.open("jvm");
        Compiled compiled = backend.compile(program);
        Context root = backend.newDevice(host.client().withLimit(30)).context()) {
      assertThatExceptionOfType(MemoryException.class)
          .isThrownBy(() -> backend.link(root, compiled))
          .withMessageContaining("limit of 30 bytes")
          .withMessageContaining("node x of program twice");
      assertThat(host.client().memoryUsage().used()).isZero();
    }
  }

  @Test
  void routinesAreOperationsOfTheRuntime() {
    try (ComputeDevice host = ComputeDevice.open(Devices.host().device().spi())) {
      for (String machine : List.of("jvm", "sync_jvm")) {
        try (JitBackend backend = Machines.open(machine);
            Compiled compiled = backend.compile(twice());
            Context root = backend.newDevice(host.client()).context();
            Routine routine = backend.link(root, compiled);
            Context context = routine.context()) {
          Profile profile =
              host.client()
                  .profile(
                      () -> {
                        routine.run();
                        context.device().await();
                      })
                  .join();
          assertThat(profile.operations()).extracting(e -> e.operation().name()).contains("twice");
        }
      }
    }
  }

  @Test
  void aNodeIsATensorOfTheRuntimeThatOtherStreamsUseToo() {
    Program program = twice();
    for (String machine : List.of("jvm", "sync_jvm")) {
      try (JitBackend backend = Machines.open(machine);
          Compiled compiled = backend.compile(program)) {
        VirtualDevice device = backend.newDevice(0);
        ComputeClient client = Devices.host();
        MemorySegment five = MemorySegment.ofArray(new float[] {1, 2, 3, 4, 5});
        try (Tensor x = tensor(client.create(five), 5);
            Tensor y = tensor(client.empty("y", 20), 5);
            Tensor six = tensor(client.empty("six", 24), 6);
            Context root = device.context()) {
          Map<Node, NodeMemory> nodes =
              Map.of(program.node("x"), NodeMemory.of(x), program.node("y"), NodeMemory.of(y));
          try (Context bound = root.with(nodes);
              Routine routine = backend.link(bound, compiled);
              Context context = routine.context()) {
            for (int i = 0; i < 3; i++) {
              routine.run();
              client.copy(y.buffer(), x.buffer());
            }
            assertThat(client.read(y.buffer()).toArray(ValueLayout.JAVA_FLOAT))
                .containsExactly(8, 16, 24, 32, 40);
            assertThat(context.read(program.node("x"))).containsExactly(8, 16, 24, 32, 40);
          }
          assertThatExceptionOfType(IllegalArgumentException.class)
              .isThrownBy(() -> root.with(Map.of(program.node("x"), NodeMemory.of(six))))
              .withMessageContaining("node x of F32 and shape 5 cannot be a tensor of F32")
              .withMessageContaining("shape 6");
          assertThatExceptionOfType(IllegalArgumentException.class)
              .isThrownBy(
                  () ->
                      root.with(
                          Map.of(
                              program.node("x"), NodeMemory.of(x),
                              program.node("y"), NodeMemory.of(x))))
              .withMessageContaining("would share memory");
          assertThat(x.buffer().isSole()).isTrue();
        }
      }
    }
  }

  private static Tensor tensor(Buffer buffer, long count) {
    return new Tensor(buffer, Shape.of(count), Layout.contiguous(DType.F32, count));
  }

  @Test
  void codeRunsOnlyWhereItWasCompiledFor() {
    try (JitBackend backend = Machines.open("jvm")) {
      assertThat(backend.newDevice(Devices.host()).name()).isEqualTo("jvm:0.0");
      for (dev.rialto.spi.device.Device device : Devices.list()) {
        if (!device.memory().properties().hostAccessible()) {
          assertThatExceptionOfType(IllegalArgumentException.class)
              .isThrownBy(() -> backend.newDevice(Devices.open(device.name())))
              .withMessage("code of jvm does not run on " + device.name() + ", but on the host");
        }
      }
    }
  }

  @Test
  void localNodesThatNeverMeetShareMemory() {
    // Each step turns the axes around, so that no two can run together.
    Program program =
        Program.parse(
            "steps",
            """
            input x f32[64, 64]
            a[i, j] += x[i, k] * x[j, k]
            b[i, j] += a[k, i] * a[k, j]
            c[i, j] += b[k, i] * b[k, j]
            d[i, j] += c[k, i] * c[k, j]
            """);
    try (ComputeDevice host = ComputeDevice.open(Devices.host().device().spi());
        JitBackend backend = Machines.open("sync_jvm");
        Compiled compiled = backend.compile(program);
        Context root = backend.newDevice(host.client()).context();
        Context context = root.with(compiled.lowered().context())) {
      assertThat(compiled.lowered().scratch()).hasSize(3);
      long before = host.client().memoryUsage().used();
      try (Routine _ = backend.link(context, compiled)) {
        assertThat(host.client().memoryUsage().used() - before).isEqualTo(2 * 64 * 64 * 4);
      }
    }
  }

  @Test
  void compilingCanWaitForTheFirstLink() {
    Program program = twice();
    try (JitBackend backend = Machines.open("jvm");
        Compiled postponed = backend.postpone(program);
        Context root = backend.newDevice(0).context();
        Routine first = backend.link(root, postponed);
        Routine second = backend.link(first.context(), postponed)) {
      assertThat(second.context().nodes()).isEqualTo(first.context().nodes());
      first.context().write(program.node("x"), 1, 2, 3, 4, 5);
      second.run();
      assertThat(first.context().read(program.node("y"))).containsExactly(2, 4, 6, 8, 10);
      second.context().close();
      first.context().close();
    }
  }

  @Test
  void hostMemoryIsCopiedInOrderWithRoutinesAndChecked() {
    Program program = twice();
    Node x = program.node("x");
    Node inside = new Node("inside", x.type(), x.shape());
    try (JitBackend backend = Machines.open("jvm");
        Compiled compiled = backend.compile(program);
        Context root = backend.newDevice(0).context().with(Set.of(inside));
        Routine routine = backend.link(root, compiled);
        Context context = routine.context();
        Arena arena = Arena.ofShared()) {
      MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2, 3, 4, 5);
      MemorySegment out = arena.allocate(20, 4);
      context.fromHost(x, in);
      routine.run();
      context.toHost(program.node("y"), out);
      context.device().await();
      assertThat(context.device().isIdle()).isTrue();
      assertThat(out.toArray(ValueLayout.JAVA_FLOAT)).containsExactly(2, 4, 6, 8, 10);
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> context.fromHost(x, in.asSlice(4)))
          .withMessageContaining("takes 20 bytes, but the host memory has 16");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> context.toHost(inside, out))
          .withMessageContaining("is not hosted");
    }
  }

  @Test
  void aClosedBackEndRefusesWork() {
    JitBackend backend = Machines.open("jvm");
    VirtualDevice device = backend.newDevice(0);
    assertThat(backend.suggestedVirtualDevices()).isPositive();
    backend.close();
    backend.close();
    assertThat(device.name()).isEqualTo("jvm:0.0");
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> backend.newDevice(0))
        .withMessageContaining("is closed");
  }

  @Test
  void batchesHaveEmptyPlaces() {
    Program one = twice();
    Program other = Program.parse("other", "input z f32[5]\nv[i] = 3 * z[i]");
    try (JitBackend backend = Machines.open("jvm")) {
      List<Optional<Compiled>> batch =
          backend.compileBatch("batch", List.of(one, other), p -> p.name().equals("other"));
      assertThat(batch.get(0)).isEmpty();
      List<Optional<Routine>> routines = backend.linkBatch(backend.newDevice(0).context(), batch);
      assertThat(routines.get(0)).isEmpty();
      assertThat(routines.get(1).orElseThrow().outputs()).containsExactly(other.node("v"));
      routines.get(1).orElseThrow().context().close();
    }
  }

  @Test
  void aWorkerThatFailsWakesWhoWaits() {
    Program program = twice();
    try (JitBackend backend = Machines.open("jvm");
        Compiled compiled = backend.compile(program)) {
      VirtualDevice device = backend.newDevice(0);
      Routine routine = backend.link(device.context(), compiled);
      Work failing = device.client().work("failing", Map.of());
      failing.add(
          () ->
              failing.stream()
                  .run(
                      () -> {
                        throw new IllegalStateException("the worker fell over");
                      }));
      routine.run();
      assertThatExceptionOfType(DeviceException.class)
          .isThrownBy(device::await)
          .withRootCauseInstanceOf(IllegalStateException.class);
      routine.run();
      device.await();
      routine.close();
      routine.context().close();
    }
  }

  @Test
  void codeIsKeptAndCorruptEntriesAreReplaced(@TempDir Path folder) throws IOException {
    Settings settings = Settings.fromProperties().withCache(Optional.of(folder));
    double[] expected = {2, 4, 6, 8, 10};
    for (int round = 0; round < 3; round++) {
      try (JitBackend backend = JitBackend.open("sync_jvm", settings)) {
        assertThat(five(twice(), backend)).containsExactly(expected);
      }
      try (var files = Files.list(folder)) {
        List<Path> entries = files.toList();
        assertThat(entries).hasSize(1);
        Files.write(entries.getFirst(), new byte[] {1, 2, 3});
      }
    }
  }

  @Test
  void theCacheDropsWhatWasUsedLongestAgo(@TempDir Path folder) throws IOException {
    Path stranger = Files.write(folder.resolve("notes.txt"), new byte[100_000]);
    Settings settings = Settings.fromProperties().withCache(Optional.of(folder));
    long entry = 0;
    List<Path> kept = new java.util.ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Settings limited = entry == 0 ? settings : settings.withCacheLimit(entry * 5 / 2);
      Program program = Program.parse("p", "input x f32[5]\ny[i] = %d * x[i]".formatted(i + 2));
      try (JitBackend backend = JitBackend.open("sync_jvm", limited)) {
        assertThat(five(program, backend)).startsWith(i + 2);
      }
      try (var files = Files.list(folder)) {
        for (Path file : files.filter(f -> !f.equals(stranger) && !kept.contains(f)).toList()) {
          kept.add(file);
          entry = Files.size(file);
          // File systems may count in seconds; here every entry has a second of its own.
          Files.setLastModifiedTime(file, java.nio.file.attribute.FileTime.fromMillis(1000L * i));
        }
      }
    }
    assertThat(kept).hasSize(5);
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactlyInAnyOrder(stranger, kept.get(3), kept.get(4));
    }
  }

  @Test
  void withACacheThatCannotBeWrittenProgramsAreCompiledAllTheSame(@TempDir Path folder)
      throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    Settings settings = Settings.fromProperties().withCache(Optional.of(file.resolve("cache")));
    try (JitBackend backend = JitBackend.open("sync_jvm", settings)) {
      assertThat(five(twice(), backend)).startsWith(2);
    }
  }

  @Test
  void everyStageIsDumped(@TempDir Path folder) throws IOException {
    Settings settings =
        Settings.fromProperties().withCache(Optional.empty()).withDump(Optional.of(folder));
    try (JitBackend backend = JitBackend.open("sync_jvm", settings);
        Compiled _ = backend.compile(twice())) {
      try (var files = Files.list(folder)) {
        assertThat(files.map(f -> f.getFileName().toString()))
            .contains("twice-0-program.txt", "twice-3-modes.txt", "twice-4-loops.txt");
      }
    }
  }

  @Test
  void shapesThatDoNotMatchAreToldWithTheAxis() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(
            () ->
                Program.parse(
                    "bad", "input a f32[3, 4]\ninput b f32[5, 2]\nc[i, j] += a[i, k] * b[k, j]"))
        .withMessageContaining("line 3")
        .withMessageContaining("axis k is 4 long in a (shape 3x4, axis 1)")
        .withMessageContaining("5 long in b (shape 5x2, axis 0)");
  }
}
