package dev.rialto.fft;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rialto.array.Complex;
import dev.rialto.array.ComplexArray;
import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that cannot be used, plans used at the wrong time, and engines that fail. */
class FourierMisuseTest {
  /** An engine that does something before each execution. */
  private record Watched(FftEngine inner, Runnable before) implements FftEngine {
    @Override
    public String name() {
      return "watched";
    }

    @Override
    public boolean supports(FftSpec spec) {
      return inner.supports(spec);
    }

    @Override
    public FftPlan plan(FftSpec spec) {
      FftPlan plan = inner.plan(spec);
      return new FftPlan() {
        @Override
        public FftSpec spec() {
          return spec;
        }

        @Override
        public long workspaceBytes() {
          return plan.workspaceBytes();
        }

        @Override
        public void execute(MemorySegment in, MemorySegment out, MemorySegment workspace) {
          before.run();
          plan.execute(in, out, workspace);
        }

        @Override
        public void close() {
          plan.close();
        }
      };
    }
  }

  private static FftEngine engine(Runnable before) {
    return new Watched(Engines.get(Engines.EMBEDDED), before);
  }

  @Test
  void aRealTransformOfNoPointsIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FourierPlan.real(DType.F64, 4, 0).build())
        .withMessageContaining("along axis 1, which has no points; give at least 1");
    FourierPlan.real(DType.F64, 0, 4).build().close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void arraysWithoutElementsAreTransformedIntoNone(int ranks) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            for (long[] shape : new long[][] {{0}, {0, 5}, {5, 0}, {3, 0, 4}}) {
              try (FourierPlan plan = FourierPlan.complex(DType.F64, shape).on(comm).build();
                  Arena arena = Arena.ofConfined()) {
                MemorySegment in = plan.allocateInput(arena);
                plan.forward(in, in);
                plan.inverse(in, in);
                assertThat(plan.outputBytes()).isZero();
              }
            }
          });
    }
  }

  @Test
  void shapesThatNoTransformHasAreRefusedAtOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FourierPlan.complex(DType.F64).build())
        .withMessageContaining("without axes");
    try (World world = World.local(3)) {
      world.run(
          comm ->
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> FourierPlan.complex(DType.F64, 1L << 62).on(comm).build())
                  .withMessageContaining("exceed 2^63-1 bytes"));
    }
  }

  @Test
  void memoryThatCannotBeUsedIsRefused(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("field"), new byte[16 * 64 * 64]);
    try (FourierPlan plan = FourierPlan.complex(DType.F64, 64, 64).build();
        Arena arena = Arena.ofShared();
        FileChannel channel = FileChannel.open(file)) {
      MemorySegment in = plan.allocateInput(arena);
      MemorySegment mapped =
          channel.map(FileChannel.MapMode.READ_ONLY, 0, plan.outputBytes(), arena);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> plan.forward(in, mapped))
          .withMessageContaining("output is read-only");
      MemorySegment both = arena.allocate(2 * plan.inputBytes(), 64);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> plan.forward(both, both.asSlice(1024)))
          .withMessageContaining("overlap in part, 1024 bytes apart");
      MemorySegment aux = arena.allocate(plan.auxBytes() + plan.inputBytes(), 64);
      plan.useAux(aux);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> plan.forward(aux.asSlice(64), plan.allocateOutput(arena)))
          .withMessageContaining("input overlaps the auxiliary memory");
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> plan.forward(in.asSlice(16), plan.allocateOutput(arena)))
          .withMessageContaining("input has 65520 bytes, but 65536 are needed");
      plan.forward(mapped, plan.allocateOutput(arena));
    }
  }

  @Test
  void aThreadThatIsRefusedLeavesTheFieldOfTheOtherAlone() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch tried = new CountDownLatch(1);
    FftEngine held =
        engine(
            () -> {
              begun.countDown();
              await(tried);
            });
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            // With a halo, what is transformed is a copy, which is the plan's.
            try (Team team = Team.on(comm);
                F64Array field = team.space(16, 16).halo(1).periodic().f64();
                F64Array other = field.like();
                FourierPlan plan = FourierPlan.real(field).engine(held).build();
                ComplexArray modes = plan.newModes(team);
                ComplexArray otherModes = plan.newModes(team)) {
              field.fill(1);
              other.fill(5);
              AtomicReference<Throwable> second = new AtomicReference<>();
              Thread thread =
                  Thread.ofPlatform()
                      .start(
                          () -> {
                            await(begun);
                            second.set(thrownBy(() -> plan.forward(other, otherModes)));
                            tried.countDown();
                          });
              plan.forward(field, modes);
              thread.join();
              assertThat(second.get())
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("one thread at a time");
              assertThat(modes.get(0, 0)).isEqualTo(new Complex(256, 0));
              plan.forward(other, otherModes);
              assertThat(otherModes.get(0, 0)).isEqualTo(new Complex(1280, 0));
            }
          });
    }
  }

  @Test
  void memoryStaysWhileATransformLasts() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch tried = new CountDownLatch(1);
    try (FourierPlan plan =
        FourierPlan.complex(DType.F64, 32, 32)
            .engine(
                engine(
                    () -> {
                      begun.countDown();
                      await(tried);
                    }))
            .build()) {
      Arena arena = Arena.ofShared();
      AtomicReference<Throwable> closing = new AtomicReference<>();
      AtomicReference<Throwable> second = new AtomicReference<>();
      AtomicReference<Throwable> freeing = new AtomicReference<>();
      MemorySegment in = plan.allocateInput(arena);
      MemorySegment out = plan.allocateOutput(arena);
      Thread other =
          Thread.ofPlatform()
              .start(
                  () -> {
                    await(begun);
                    freeing.set(thrownBy(arena::close));
                    closing.set(thrownBy(plan::close));
                    second.set(thrownBy(() -> plan.forward(in, out)));
                    tried.countDown();
                  });
      plan.forward(in, out);
      other.join();
      assertThat(freeing.get()).isInstanceOf(IllegalStateException.class);
      assertThat(closing.get())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("close: transform of C128 32x32 is under way");
      assertThat(second.get())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is being run by another thread");
      plan.forward(in, out);
      arena.close();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Throwable thrownBy(Runnable body) {
    try {
      body.run();
      return new AssertionError("nothing was thrown");
    } catch (RuntimeException e) {
      return e;
    }
  }

  @Test
  void memoryThatIsFreedInBetweenIsRefused() {
    try (World world = World.local(2)) {
      assertThatExceptionOfType(CommunicationException.class)
          .isThrownBy(
              () ->
                  world.run(
                      comm -> {
                        try (FourierPlan plan =
                            FourierPlan.complex(DType.F64, 64, 64).on(comm).build()) {
                          Arena arena = Arena.ofShared();
                          plan.startForward(plan.allocateInput(arena), plan.allocateOutput(arena));
                          arena.close();
                          plan.await();
                        }
                      }))
          .withStackTraceContaining("was freed since the start");
    }
  }

  @Test
  void confinedMemoryIsReadByOtherRanks() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (FourierPlan plan = FourierPlan.complex(DType.F64, 12, 10, 8).on(comm).build();
                Arena arena = Arena.ofConfined()) {
              MemorySegment field = plan.allocateInput(arena);
              if (comm.rank() == 0) {
                field.set(JAVA_DOUBLE, 0, 1);
              }
              MemorySegment modes = plan.allocateOutput(arena);
              plan.forward(field, modes);
              for (long at = 0; at < plan.outputBytes(); at += 16) {
                assertThat(modes.get(JAVA_DOUBLE, at)).isEqualTo(1);
              }
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "shared", "point-to-point", "scheduled", "rma-pull", "rma-push"})
  void anEngineThatFailsIsTheCauseAndAllRanksAreTold(String scheme) {
    AtomicReference<Throwable> told = new AtomicReference<>();
    AtomicReference<Throwable> again = new AtomicReference<>();
    try (World world = World.local(2)) {
      assertThatExceptionOfType(CommunicationException.class)
          .isThrownBy(
              () ->
                  world.run(
                      comm -> {
                        boolean[] armed = new boolean[1];
                        FourierPlanBuilder builder =
                            FourierPlan.complex(DType.F64, 12, 10, 8)
                                .on(comm)
                                .engine(
                                    engine(
                                        () -> {
                                          if (armed[0]) {
                                            throw new ArithmeticException("of this engine");
                                          }
                                        }));
                        if (!scheme.isEmpty()) {
                          builder.scheme(scheme);
                        }
                        try (FourierPlan plan = builder.build();
                            Arena arena = Arena.ofConfined()) {
                          MemorySegment field = plan.allocateInput(arena);
                          MemorySegment modes = plan.allocateOutput(arena);
                          try {
                            plan.forward(field, modes);
                            armed[0] = comm.rank() == 1;
                            plan.forward(field, modes);
                            plan.inverse(modes, field);
                          } catch (ArithmeticException e) {
                            again.set(thrownBy(() -> plan.forward(field, modes)));
                            throw e;
                          } catch (PeerFailedException e) {
                            told.set(e);
                          }
                        }
                      }))
          .withStackTraceContaining("of this engine");
    }
    assertThat(told.get()).as("rank 0").isNotNull();
    assertThat(again.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has failed")
        .hasRootCauseInstanceOf(ArithmeticException.class);
  }

  @Test
  void aRankThatClosesWhileAnotherTransformsFailsThatOne() {
    try (World world = World.local(2)) {
      assertThatExceptionOfType(CommunicationException.class)
          .isThrownBy(
              () ->
                  world.run(
                      comm -> {
                        try (FourierPlan plan =
                                FourierPlan.complex(DType.F64, 12, 10).on(comm).build();
                            Arena arena = Arena.ofConfined()) {
                          MemorySegment field = plan.allocateInput(arena);
                          MemorySegment modes = plan.allocateOutput(arena);
                          plan.forward(field, modes);
                          if (comm.rank() == 0) {
                            plan.inverse(modes, field);
                          }
                        }
                      }))
          .withStackTraceContaining("rank 1 has failed, or has closed");
    }
  }

  @Test
  void reportsTellWhatACodecLost() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (FourierPlan plan =
                    FourierPlan.complex(DType.F64, 16, 16)
                        .on(comm)
                        .scheme("point-to-point/bulk/cast")
                        .build();
                Arena arena = Arena.ofConfined()) {
              assertThatIllegalStateException().isThrownBy(plan::reports);
              MemorySegment field = plan.allocateInput(arena);
              for (long at = 0; at < plan.inputBytes(); at += 8) {
                field.set(JAVA_DOUBLE, at, Math.sin((double) at + comm.rank()));
              }
              plan.forward(field, plan.allocateOutput(arena));
              assertThat(plan.reports())
                  .isNotEmpty()
                  .allSatisfy(
                      report -> {
                        assertThat(report.maxError()).isBetween(1e-12, 1e-5);
                        assertThat(report.ratio()).isBetween(1.9, 2.0);
                      });
            }
          });
    }
  }
}
