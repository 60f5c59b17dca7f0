package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.Tck;
import dev.rialto.tck.reference.Place;
import dev.rialto.tck.reference.Samples;
import dev.rialto.tck.reference.Together;
import dev.rialto.tck.run.NotRun;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Requirements on a {@link KernelCompiler} and its {@link Executable}s: compile each language they
 * take, run each index once, in order with the stream, and tell what is wrong with a launch.
 */
@Requires(Capability.KERNELS)
public final class KernelCompilerTck extends Tck {
  private static Place.Block doubles(Place place, int count, double first) {
    ByteBuffer buffer = ByteBuffer.allocate(count * Double.BYTES).order(ByteOrder.nativeOrder());
    for (int i = 0; i < count; i++) {
      buffer.putDouble(first + i);
    }
    return place.block(buffer.array());
  }

  private static double value(Place.Block block, int index) {
    return ByteBuffer.wrap(block.read())
        .order(ByteOrder.nativeOrder())
        .getDouble(index * Double.BYTES);
  }

  private static List<MemorySegment> buffers(Place.Block... blocks) {
    return java.util.stream.Stream.of(blocks).map(Place.Block::segment).toList();
  }

  @Requirement(
      id = "KERN-001",
      text = "A compiler has a target and takes at least one language, the same each time.")
  void compilerTellsWhatItTakes() {
    KernelCompiler compiler = device().compiler();
    assertFalse(compiler.target().isBlank(), "the target is empty");
    assertFalse(compiler.languages().isEmpty(), "it takes no language");
    assertEquals(compiler.languages(), device().compiler().languages());
  }

  @Requirement(
      id = "KERN-002",
      text =
          "A kernel in another language is refused with IllegalArgumentException that names"
              + " those it takes.")
  void unknownLanguagesAreRefused() {
    KernelCompiler compiler = device().compiler();
    LoweredKernel cobol =
        new LoweredKernel.Source("stranger", Samples.PARAMETERS, "cobol-59", "STOP RUN.");
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> compiler.compile(cobol).close());
    for (String language : compiler.languages()) {
      assertTrue(
          String.valueOf(refusal.getMessage()).contains(language),
          () -> "'" + refusal.getMessage() + "' does not name " + language);
    }
    if (!compiler.languages().contains(LoweredKernel.JAVA)) {
      assertThrows(
          IllegalArgumentException.class, () -> compiler.compile(Samples.affineInJava()).close());
    }
  }

  @Requirement(
      id = "KERN-003",
      text =
          "A body that cannot be compiled throws CompilationException with the compiler's words.")
  void brokenBodiesAreTold() {
    KernelCompiler compiler = device().compiler();
    List<String> texts =
        compiler.languages().stream().filter(l -> !l.equals(LoweredKernel.JAVA)).toList();
    if (texts.isEmpty()) {
      throw new NotRun("it takes only Java bodies, which are compiled already");
    }
    for (String language : texts) {
      CompilationException told =
          assertThrows(
              CompilationException.class,
              () -> compiler.compile(Samples.of(language).broken()).close());
      assertFalse(String.valueOf(told.getMessage()).isBlank(), "there are no words");
    }
  }

  @Requirement(
      id = "KERN-004",
      text = "A launch runs the body once for each index from 0 to n-1, and for no other.",
      capability = Capability.STREAMS)
  void everyIndexRunsOnce(Place place, Executable affine, Stream stream) throws Exception {
    for (int items : new int[] {1, 2, 31, 1000, 65_537}) {
      try (Place.Block in = doubles(place, items + 3, 5);
          Place.Block out = doubles(place, items + 3, 0)) {
        affine.launch(items, buffers(in, out), stream);
        stream.await();
        for (int i : new int[] {0, 1, items / 2, items - 1, items, items + 2}) {
          double expected = i < items ? i + 3 * (5.0 + i) + i : i;
          assertEquals(expected, value(out, i), "element " + i + " of " + items);
        }
      }
    }
  }

  @Requirement(
      id = "KERN-005",
      text = "An executable tells which kernel it was compiled from.",
      capability = Capability.STREAMS)
  void executableTellsItsKernel(Executable affine) throws Exception {
    assertEquals("affine", affine.kernel().name());
    assertEquals(Samples.PARAMETERS, affine.kernel().parameters());
  }

  @Requirement(
      id = "KERN-006",
      text = "A launch over no items does nothing.",
      capability = Capability.STREAMS)
  void emptyLaunchDoesNothing(Place place, Executable affine, Stream stream) throws Exception {
    try (Place.Block in = doubles(place, 1, 5);
        Place.Block out = doubles(place, 1, 7)) {
      affine.launch(0, buffers(in, out), stream);
      stream.await();
      assertEquals(7, value(out, 0));
    }
  }

  @Requirement(
      id = "KERN-007",
      text =
          "A launch with negative items, or more or fewer buffers than parameters, is refused with"
              + " IllegalArgumentException.",
      capability = Capability.STREAMS)
  void wrongLaunchesAreRefused(Place place, Executable affine, Stream stream) throws Exception {
    try (Place.Block in = doubles(place, 1, 5);
        Place.Block out = doubles(place, 1, 7)) {
      assertThrows(
          IllegalArgumentException.class, () -> affine.launch(-1, buffers(in, out), stream));
      for (List<MemorySegment> wrong : List.of(buffers(), buffers(in), buffers(in, out, out))) {
        assertThrows(
            IllegalArgumentException.class,
            () -> affine.launch(1, wrong, stream),
            () -> wrong.size() + " buffers");
      }
      stream.await();
      assertEquals(7, value(out, 0));
    }
  }

  @Requirement(
      id = "KERN-008",
      text =
          "A read-only buffer is taken for a parameter that is only read, and refused with"
              + " IllegalArgumentException for one that is written.",
      capability = Capability.STREAMS)
  void readOnlyBuffersAreNotWritten(Place place, Executable affine, Stream stream)
      throws Exception {
    try (Place.Block in = doubles(place, 1, 5);
        Place.Block out = doubles(place, 1, 7)) {
      List<MemorySegment> wrong = List.of(in.segment(), out.segment().asReadOnly());
      assertThrows(IllegalArgumentException.class, () -> affine.launch(1, wrong, stream));
      affine.launch(1, List.of(in.segment().asReadOnly(), out.segment()), stream);
      stream.await();
      assertEquals(22, value(out, 0));
    }
  }

  @Requirement(
      id = "KERN-009",
      text = "A launch returns at once and runs in order with the stream's other work.",
      capability = Capability.STREAMS)
  void launchesRunInOrder(Place place, Executable affine, Stream stream) throws Exception {
    try (Place.Block a = doubles(place, 100, 1);
        Place.Block b = doubles(place, 100, 0);
        Gate gate = new Gate()) {
      stream.run(gate::await);
      affine.launch(100, buffers(a, b), stream);
      affine.launch(100, buffers(b, a), stream);
      assertFalse(stream.isIdle());
      gate.open();
      stream.await();
      for (int i = 0; i < 100; i++) {
        double first = i + 3 * (1.0 + i) + i;
        assertEquals(first, value(b, i), "after the first launch");
        assertEquals(1 + i + 3 * first + i, value(a, i), "after the second launch");
      }
    }
  }

  @Requirement(
      id = "KERN-010",
      text = "What a kernel throws is raised as DeviceException when the stream is synchronized.",
      capability = Capability.STREAMS)
  void failuresAreRaised() {
    KernelCompiler compiler = device().compiler();
    if (!compiler.languages().contains(LoweredKernel.JAVA)) {
      throw new NotRun("only Java bodies can throw");
    }
    RuntimeException failure = new IllegalStateException("kernel");
    LoweredKernel throwing =
        new LoweredKernel.JavaBody(
            "throwing",
            List.of(),
            (_, _, _) -> {
              throw failure;
            });
    try (Executable executable = compiler.compile(throwing);
        Stream stream = device().openStream(0)) {
      executable.launch(100, List.of(), stream);
      DeviceException raised = assertThrows(DeviceException.class, stream::await);
      assertSame(failure, raised.getCause());
      stream.await();
    }
  }

  @Requirement(
      id = "KERN-011",
      text =
          "Launches added before an executable was closed still run; later ones are refused with"
              + " IllegalStateException, and closing again does nothing.",
      capability = Capability.STREAMS)
  void closingKeepsWhatWasLaunched(Place place, Executable affine, Stream stream) throws Exception {
    try (Place.Block in = doubles(place, 1, 5);
        Place.Block out = doubles(place, 1, 7);
        Gate gate = new Gate()) {
      stream.run(gate::await);
      affine.launch(1, buffers(in, out), stream);
      affine.close();
      affine.close();
      assertThrows(IllegalStateException.class, () -> affine.launch(1, buffers(in, out), stream));
      gate.open();
      stream.await();
      assertEquals(22, value(out, 0));
    }
  }

  @Requirement(
      id = "KERN-012",
      text = "Several threads may compile and launch at the same time.",
      capability = Capability.STREAMS)
  void severalThreadsLaunch(Place place, Executable affine) throws Exception {
    Together.run(
        4,
        thread -> {
          String language = affine.kernel().language();
          try (Executable mine = device().compiler().compile(Samples.affine(language));
              Stream stream = device().openStream(0);
              Place.Block in = doubles(place, 1000, thread);
              Place.Block out = doubles(place, 1000, 0)) {
            affine.launch(1000, buffers(in, out), stream);
            mine.launch(1000, buffers(in, out), stream);
            stream.await();
            assertEquals(999 + 2 * (3.0 * (thread + 999) + 999), value(out, 999));
          }
        });
  }
}
