package dev.rialto.io;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.rialto.array.Array;
import dev.rialto.array.Decomposition;
import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.MismatchException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays against files that NumPy 2 wrote: element (i, j, k) of 2 x 3 x 4 is 100 i + 10 j + k. */
class NpyFileTest {
  private static final Shape SHAPE = Shape.of(2, 3, 4);

  @TempDir private Path folder;

  private Path golden(String name) throws IOException {
    Path file = folder.resolve(name);
    if (!Files.exists(file)) {
      try (InputStream stream = NpyFileTest.class.getResourceAsStream(name)) {
        Files.copy(stream, file);
      }
    }
    return file;
  }

  private static double expected(long element) {
    return 100 * (element / 12) + 10 * (element / 4 % 3) + element % 4;
  }

  private static double value(MemorySegment memory, DType type, long number) {
    return switch (type) {
      case F16 -> Float.float16ToFloat(memory.getAtIndex(ValueLayout.JAVA_SHORT, number));
      case F32, C64 -> memory.getAtIndex(ValueLayout.JAVA_FLOAT, number);
      case F64, C128 -> memory.getAtIndex(ValueLayout.JAVA_DOUBLE, number);
      case I8 -> memory.get(ValueLayout.JAVA_BYTE, number) + 110;
      case I32 -> memory.getAtIndex(ValueLayout.JAVA_INT, number);
      case I64 -> memory.getAtIndex(ValueLayout.JAVA_LONG, number);
      case BF16, I16, U8, U16, U32, U64 -> throw new AssertionError("no file has " + type);
    };
  }

  @ParameterizedTest
  @CsvSource({
    "f2.npy, F16",
    "f4.npy, F32",
    "f8.npy, F64",
    "c8.npy, C64",
    "c16.npy, C128",
    "i1.npy, I8",
    "i4.npy, I32",
    "i8.npy, I64",
    "fortran.npy, F64",
    "big.npy, F64",
    "big-i4.npy, I32",
    "big-f2.npy, F16",
    "big-c16-fortran.npy, C128",
    "version2.npy, F64",
    "version3.npy, F64"
  })
  void whatNumPyWroteIsRead(String name, DType type) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      NpyFile file = NpyFile.open(golden(name), arena);
      assertThat(file.type()).isEqualTo(type);
      assertThat(file.shape()).isEqualTo(SHAPE);
      MemorySegment all = file.read(arena);
      boolean complex = type.kind() == DType.Kind.COMPLEX;
      for (long i = 0; i < SHAPE.count(); i++) {
        assertThat(value(all, type, complex ? 2 * i : i)).isEqualTo(expected(i));
        if (complex) {
          assertThat(value(all, type, 2 * i + 1)).isEqualTo(expected(i) / 2);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "f2.npy",
        "f4.npy",
        "f8.npy",
        "c8.npy",
        "c16.npy",
        "i1.npy",
        "i4.npy",
        "i8.npy",
        "scalar.npy",
        "empty.npy",
        "line.npy"
      })
  void filesAreWrittenAsNumPyWritesThem(String name) throws IOException {
    Path copy = folder.resolve("copy.npy");
    try (Arena arena = Arena.ofConfined()) {
      NpyFile file = NpyFile.open(golden(name), arena);
      NpyFile.save(copy, file.type(), file.shape(), file.read(arena));
    }
    assertThat(Files.readAllBytes(copy)).isEqualTo(Files.readAllBytes(golden(name)));
  }

  @Test
  void realsFillComplexMemory() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      NpyFile file = NpyFile.open(golden("f8.npy"), arena);
      MemorySegment complex = arena.allocate(16 * SHAPE.count(), 8).fill((byte) 7);
      file.read(Grid.block(SHAPE, 1, 1, 1), 0, DType.C128, complex);
      for (long i = 0; i < SHAPE.count(); i++) {
        assertThat(value(complex, DType.C128, 2 * i)).isEqualTo(expected(i));
        assertThat(value(complex, DType.C128, 2 * i + 1)).isZero();
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> file.read(Grid.block(SHAPE, 1, 1, 1), 0, DType.F32, complex))
          .withMessageContaining("F32 elements and a file of F64");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> file.read(Grid.block(Shape.of(24), 1), 0, DType.F64, complex))
          .withMessageContaining("2x3x4");
    }
  }

  private static List<Decomposition> decompositions() {
    return List.of(
        Decomposition.block(),
        Decomposition.block(1, 3),
        Decomposition.cyclic(1, 1, 3),
        Decomposition.blockCyclic(new long[] {1, 2}, 1, 3),
        Decomposition.irregular(new long[] {0, 2, 0}),
        Decomposition.hash(),
        (shape, ranks) -> Grid.block(shape, 1, 3, 1).withOrder(2, 0, 1));
  }

  @Test
  void ranksReadAndWriteTheirPartsOfAnyDistribution() throws IOException {
    byte[] wanted = Files.readAllBytes(golden("f8.npy"));
    for (String name : List.of("f8.npy", "fortran.npy", "big.npy")) {
      Path source = golden(name);
      Path copy = folder.resolve("copy.npy");
      for (Decomposition decomposition : decompositions()) {
        try (World world = World.local(3)) {
          world.run(
              comm -> {
                try (Team team = Team.on(comm);
                    F64Array array = team.space(SHAPE.extents()).divided(decomposition).f64()) {
                  NpyFile.load(source, array);
                  NpyFile.save(copy, array);
                }
              });
        }
        assertThat(Files.readAllBytes(copy)).as(name + " " + decomposition).isEqualTo(wanted);
        Files.delete(copy);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "f2.npy",
        "f4.npy",
        "f8.npy",
        "c8.npy",
        "c16.npy",
        "i1.npy",
        "i4.npy",
        "i8.npy",
        "scalar.npy",
        "empty.npy",
        "line.npy"
      })
  void aTeamLoadsAFileAsAnArrayOfItsShapeAndType(String name) throws IOException {
    Path source = golden(name);
    for (int ranks = 1; ranks <= 3; ranks++) {
      Path copy = folder.resolve("copy-" + ranks + ".npy");
      try (World world = World.local(ranks)) {
        world.run(
            comm -> {
              try (Team team = Team.on(comm);
                  Array array = NpyFile.load(source, team)) {
                NpyFile.save(copy, array);
              }
            });
      }
      assertThat(Files.readAllBytes(copy)).isEqualTo(Files.readAllBytes(source));
    }
  }

  @Test
  void aFileIsLoadedInAnyDecomposition() throws IOException {
    Path source = golden("f8.npy");
    for (Decomposition decomposition : decompositions()) {
      try (World world = World.local(3)) {
        world.run(
            comm -> {
              try (Team team = Team.on(comm);
                  Array array = NpyFile.load(source, team, decomposition)) {
                assertThat(array.space().decomposition()).isEqualTo(decomposition);
                double[] all = ((F64Array) array).gather(0);
                for (int i = 0; i < all.length; i++) {
                  assertThat(all[i]).isEqualTo(expected(i));
                }
              }
            });
      }
    }
  }

  @Test
  void aFileThatOneRankCannotReadIsRefusedOnAll() throws IOException {
    Path source = golden("f8.npy");
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            Path mine = comm.rank() == 0 ? source : folder.resolve("elsewhere.npy");
            try (Team team = Team.on(comm)) {
              assertThatExceptionOfType(IOException.class)
                  .isThrownBy(() -> NpyFile.load(mine, team))
                  .withMessageContaining("elsewhere.npy");
              try (F64Array still = team.f64(3)) {
                still.fill(2);
                assertThat(still.sum()).isEqualTo(6);
              }
            }
          });
    }
  }

  @Test
  void aFileThatBecomesShorterForOneRankIsRefusedOnAll() throws IOException {
    // Windows keeps files that are mapped as they are.
    assumeFalse(System.getProperty("os.name", "").startsWith("Windows"));
    Path[] files = {folder.resolve("kept.npy"), folder.resolve("cut.npy")};
    for (Path file : files) {
      try (Arena arena = Arena.ofConfined()) {
        NpyFile.save(file, DType.F64, Shape.of(1 << 17), arena.allocate(1 << 20));
      }
    }
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            // Asked for once the file is open.
            Decomposition cuts =
                (shape, ranks) -> {
                  try (FileChannel channel = FileChannel.open(files[1], StandardOpenOption.WRITE)) {
                    channel.truncate(4096);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                  return Decomposition.block().divide(shape, ranks);
                };
            try (Team team = Team.on(comm)) {
              long before = Devices.host().memoryUsage().used();
              assertThatExceptionOfType(IOException.class)
                  .isThrownBy(() -> NpyFile.load(files[comm.rank()], team, cuts))
                  .withMessageContaining("cut.npy became shorter");
              team.f64(1).close(); // What was closed is given back with what is made next.
              comm.barrier();
              assertThat(Devices.host().memoryUsage().used() - before).isLessThan(1 << 19);
            }
          });
    }
  }

  @Test
  void axesOfMoreIndicesThanAnArrayHasAreTakenInRuns() {
    long extent = 1L << 33;
    Part half = Part.of(Grid.of(Partition.block(extent, 2)), 1);
    List<Long> runs = new ArrayList<>();
    half.forEachRun(
        (local, stride, index, count) -> runs.addAll(List.of(local, stride, index[0], count)));
    assertThat(runs).containsExactly(0L, 1L, extent / 2, extent / 2);
  }

  @Test
  void halosStayOutOfFiles() throws IOException {
    Path file = folder.resolve("halo.npy");
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                F64Array u = team.space(7, 5).halo(1).star().f64();
                F64Array v = u.like()) {
              u.local().fill((byte) -1);
              u.generate(i -> 3.0 * i);
              NpyFile.save(file, u);
              NpyFile.load(file, v);
              for (long i = 0; i < 2; i++) {
                assertThat(v.get(comm.rank() * 4L, 2 + i))
                    .isEqualTo(3.0 * (comm.rank() * 20 + 2 + i));
              }
            }
          });
    }
    try (Arena arena = Arena.ofConfined()) {
      double[] all = NpyFile.open(file, arena).read(arena).toArray(ValueLayout.JAVA_DOUBLE);
      double[] wanted = new double[35];
      Arrays.setAll(wanted, i -> 3.0 * i);
      assertThat(all).isEqualTo(wanted);
    }
  }

  @Test
  void whatIsNotAnArrayIsRefusedWithARemedy() throws IOException {
    refused(Files.writeString(folder.resolve("text"), "not an array at all"), "numpy.save");
    refused(Files.writeString(folder.resolve("nothing"), ""), "numpy.save");
    refused(golden("u2.npy"), "astype");
    refused(golden("records.npy"), "astype");
    byte[] whole = Files.readAllBytes(golden("f8.npy"));
    for (int bytes : new int[] {11, 40, 127, 128, whole.length - 1}) {
      refused(Files.write(folder.resolve("cut"), Arrays.copyOf(whole, bytes)), "again");
    }
    whole[6] = 9;
    refused(Files.write(folder.resolve("later"), whole), "Versions 1 to 3");
    String header = new String(Files.readAllBytes(golden("f8.npy")), ISO_8859_1);
    for (String damage : List.of("(2, 3, 9999999999999999999)", "(2, 3, -1)", "(2; 3)")) {
      String damaged = header.replaceFirst("\\(2, 3, 4\\) {0,20}", damage);
      refused(Files.write(folder.resolve("odd"), damaged.getBytes(ISO_8859_1)), "again");
    }
  }

  @Test
  void aFileThatBecomesShorterIsToldAndDoesNotEndTheJvm() throws IOException {
    // Windows keeps files that are mapped as they are.
    assumeFalse(System.getProperty("os.name", "").startsWith("Windows"));
    Path file = folder.resolve("shorter.npy");
    try (Arena arena = Arena.ofConfined()) {
      NpyFile.save(file, DType.F64, Shape.of(1 << 17), arena.allocate(1 << 20));
      NpyFile open = NpyFile.open(file, arena);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(4096);
      }
      assertThatExceptionOfType(UncheckedIOException.class)
          .isThrownBy(() -> open.read(arena))
          .withMessage(file + " became shorter while it was read")
          .withCauseInstanceOf(FileFormatException.class);
    }
  }

  private static void refused(Path file, String remedy) {
    try (Arena arena = Arena.ofConfined()) {
      assertThatExceptionOfType(FileFormatException.class)
          .as(file.toString())
          .isThrownBy(() -> NpyFile.open(file, arena))
          .withMessageStartingWith(file.toString())
          .satisfies(e -> assertThat(e.remedy()).contains(remedy));
    }
  }

  @Test
  void filesThatAreNotThereOrCannotBeMadeFailOnAllRanks() {
    Path nowhere = folder.resolve("no/such/folder/a.npy");
    try (Arena arena = Arena.ofConfined()) {
      assertThatExceptionOfType(NoSuchFileException.class)
          .isThrownBy(() -> NpyFile.open(nowhere, arena));
    }
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                F64Array array = team.f64(SHAPE.extents())) {
              assertThatExceptionOfType(IOException.class)
                  .isThrownBy(() -> NpyFile.save(nowhere, array));
            }
          });
    }
  }

  @Test
  void ranksThatSaveOtherArraysOrToOtherFilesAreTold() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                F64Array x = team.f64(12);
                F64Array y = team.f64(12)) {
              Path file = folder.resolve("mixed.npy");
              boolean last = comm.rank() == 2;
              assertThatExceptionOfType(MismatchException.class)
                  .isThrownBy(() -> NpyFile.save(file, last ? y : x))
                  .withMessageContaining("rank 0 writes F64 array 1 of 12, block to " + file)
                  .withMessageContaining("rank 2 writes F64 array 2 of 12, block");
              assertThatExceptionOfType(MismatchException.class)
                  .isThrownBy(() -> NpyFile.save(last ? file.resolveSibling("other.npy") : file, x))
                  .withMessageContaining("other.npy");
              assertThatExceptionOfType(MismatchException.class)
                  .isThrownBy(() -> VtkImage.save(file, Map.of(last ? "a" : "b", x), 1))
                  .withMessageContaining("rank 0 writes fields {b=");
            }
          });
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aRankThatThrowsAnythingIsHeardByAll() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                F64Array x = team.f64(12);
                F64Array y = x.like()) {
              Path file = folder.resolve("zip.npy");
              assertThatExceptionOfType(UnsupportedOperationException.class)
                  .isThrownBy(() -> NpyFile.save(file, x.zip(y, (a, b) -> a + b)))
                  .withMessageContaining("not stored");
              LongConsumer told =
                  count -> {
                    if (comm.rank() == 1) {
                      throw new ArithmeticException("mine");
                    }
                  };
              assertThatThrownBy(
                      () -> NpyFile.save(file, comm, x.type(), x.distribution(), x.local(), told))
                  .isInstanceOf(comm.rank() == 1 ? ArithmeticException.class : IOException.class)
                  .hasMessage("mine");
            }
          });
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void numPyHasNoBfloat16() {
    try (Arena arena = Arena.ofConfined()) {
      assertThatExceptionOfType(UnsupportedOperationException.class)
          .isThrownBy(
              () -> NpyFile.save(folder.resolve("b"), DType.BF16, SHAPE, arena.allocate(64)))
          .withMessageContaining("BF16");
    }
  }

  @Test
  void viewsAreSavedAndLoaded() {
    Path file = folder.resolve("view.npy");
    for (int ranks : new int[] {1, 3}) {
      try (World world = World.local(ranks)) {
        world.run(
            comm -> {
              try (Team team = Team.on(comm);
                  F64Array a = team.space(6, 7).halo(1).f64()) {
                a.set((i, j) -> 10 * i + j);
                NpyFile.save(file, a.slice(0, 1, 5).slice(1, 2, 4));
                try (Array read = NpyFile.load(file, team)) {
                  assertThat(((F64Array) read).sum()).isEqualTo(8 * 27.5);
                }
                NpyFile.save(file, a.slice(0, 1, 6, 2).slice(1, 0, 7, 3));
                try (Array read = NpyFile.load(file, team)) {
                  assertThat(((F64Array) read).sum()).isEqualTo(9 * 33);
                }
                NpyFile.save(file, a.transposed(1, 0));
                a.fill(0);
                NpyFile.load(file, a.transposed(1, 0));
                a.synchronize();
                assertThat(a.fetch(4, 6)).isEqualTo(46);
                a.synchronize();
              }
            });
      }
    }
  }

  @Test
  void arraysOnDevicesAreSavedAndLoaded() {
    for (Device device : Devices.list()) {
      Path file = folder.resolve(device.name().replace(':', '-') + ".npy");
      try (World world = World.local(3)) {
        world.run(
            comm -> {
              try (Team team = Team.on(comm, Devices.open(device.name()));
                  F64Array dense = team.f64(7, 5);
                  F64Array saved = team.space(7, 5).halo(1).f64()) {
                dense.set((i, j) -> 10 * i + j);
                saved.set((i, j) -> 10 * i + j);
                NpyFile.save(file, saved);
                try (Array loaded = NpyFile.load(file, team)) {
                  assertThat(((F64Array) loaded).dot(saved)).isEqualTo(dense.dot(dense));
                  saved.fill(0);
                  NpyFile.load(file, saved);
                  assertThat(saved.dot(dense)).isEqualTo(dense.dot(dense));
                  NpyFile.save(file, dense);
                  NpyFile.load(file, dense);
                  assertThat(dense.sum()).isEqualTo(1120);
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
      }
    }
  }

  @Test
  void arraysOnDevicesTravelInChunks() {
    for (Device device : Devices.list()) {
      if (device.memory().properties().hostAccessible()) {
        continue;
      }
      Path file = folder.resolve(device.name().replace(':', '-') + "-chunks.npy");
      try (World world = World.local(1)) {
        world.run(
            comm -> {
              try (Team team = Team.on(comm, Devices.open(device.name()));
                  F64Array a = team.space(50, 100, 600).halo(1).f64();
                  F64Array host = team.space(50, 100, 600).onHost().f64()) {
                a.set((i, j, k) -> 1e6 * i + 1e3 * j + k);
                NpyFile.save(file, a);
                NpyFile.load(file, host);
                host.set((i, j, k) -> host.get(i, j, k) - (1e6 * i + 1e3 * j + k));
                assertThat(host.norm()).isZero();
                F64Array turned = a.transposed(2, 0, 1);
                a.fill(0);
                NpyFile.load(file, a);
                NpyFile.save(file, turned);
                a.fill(0);
                NpyFile.load(file, turned);
                NpyFile.save(file, a);
                NpyFile.load(file, host);
                host.set((i, j, k) -> host.get(i, j, k) - (1e6 * i + 1e3 * j + k));
                assertThat(host.norm()).isZero();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
      }
    }
  }
}
