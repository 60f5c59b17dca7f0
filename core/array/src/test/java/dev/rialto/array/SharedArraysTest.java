package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.system.JavaCommand;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays of processes lie in memory that all ranks of the node read, on each MPI library. */
class SharedArraysTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void ranksReadOneAnothersArrays(String library) throws Exception {
    assertThat(exitCode(library, "check")).as(log()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"openmpi, halt", "mpich, throw"})
  void aRankThatLeavesWhileItsArrayIsReadEndsTheJob(String library, String how) throws Exception {
    assertThat(exitCode(library, how)).as(log()).isNotZero();
    assertThat(log()).contains("rank 1").doesNotContain("SIGSEGV", "SIGBUS");
  }

  /** Two ranks on each node, which are threads here: {@link SharedMemory} is told otherwise. */
  @Test
  void arraysOfSeveralNodesAreReadWithinEachAndSentBetweenThem() {
    try (World world = World.local(4)) {
      world.run(
          comm -> {
            try (Team team = Team.on(onNodes(comm))) {
              SharedArraysProgram.readsAndWrites(team, false);
              SharedArraysProgram.halo(team);
              SharedArraysProgram.redistribution(team, 1);
            }
          });
    }
  }

  private static Communicator onNodes(Communicator comm) {
    return (Communicator)
        Proxy.newProxyInstance(
            Communicator.class.getClassLoader(),
            new Class<?>[] {Communicator.class},
            (_, method, arguments) -> {
              switch (method.getName()) {
                case "dup" -> {
                  return onNodes(comm.dup());
                }
                case "splitByNode" -> {
                  return comm.split(comm.rank() / 2, comm.rank()).orElseThrow();
                }
                case "sharedWindow" ->
                    throw new IllegalStateException("ranks of several nodes share no window");
                default -> {}
              }
              Object result;
              try {
                result = method.invoke(comm, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (method.getName().equals("allGather")
                  && arguments[2] == DType.I64
                  && arguments[3].equals(1L)) {
                MemorySegment gathered = (MemorySegment) arguments[1];
                for (int rank = 0; rank < comm.size(); rank++) {
                  if (rank / 2 != comm.rank() / 2) {
                    long number = gathered.getAtIndex(JAVA_LONG, rank);
                    gathered.setAtIndex(JAVA_LONG, rank, number ^ 1L << 40);
                  }
                }
              }
              return result;
            });
  }

  private String log() throws Exception {
    return Files.readString(folder.resolve("log"));
  }

  private int exitCode(String library, String mode) throws Exception {
    assumeTrue(isInstalled(library), library + " is not installed");
    ProcessBuilder builder =
        new ProcessBuilder(JavaCommand.like(SharedArraysProgram.class, List.of("launch", mode)));
    builder.environment().put("RIALTO_MPI", library);
    builder.environment().put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1");
    Process job =
        builder.redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile()).start();
    try {
      // What takes 3 s alone takes long on a machine that is busy; what hangs takes for ever.
      assertThat(job.waitFor(280, TimeUnit.SECONDS)).as(log()).isTrue();
      return job.exitValue();
    } finally {
      job.descendants().forEach(ProcessHandle::destroyForcibly);
      job.destroyForcibly();
    }
  }

  private static boolean isInstalled(String library) {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(path -> Files.isExecutable(Path.of(path, "mpirun." + library)));
  }
}
