package dev.rialto.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.spi.Probe;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.error.CompilationException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CcTargetTest {
  private static Unit unit(String source) {
    Expr.Var begin = new Expr.Var("begin", Type.I64);
    Expr.Var end = new Expr.Var("end", Type.I64);
    Buffer x = new Buffer("x", Buffer.Storage.F64, 4, false);
    Procedure procedure =
        new Procedure(
            "twice",
            List.of(x),
            4,
            new Procedure.Grain(1, 1),
            begin,
            end,
            new Stmt.Block(List.of()));
    return new Unit("unit", List.of(procedure), false, source);
  }

  private static CcTarget present() {
    CcTarget target = new CcTarget("cc", 120);
    assumeTrue(target.probe() instanceof Probe.Available, "there is no C compiler");
    return target;
  }

  @Test
  void sourceIsCompiledLoadedAndCalled() {
    CcTarget target = present();
    Unit unit =
        unit(
            """
            void twice(void **b, long begin, long end) {
              double *x = b[0];
              for (long i = begin; i < end; i++) x[i] *= 2;
            }
            """);
    try (Code code = target.load(unit, target.build(unit));
        Arena arena = Arena.ofConfined()) {
      MemorySegment x = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, 1, 2, 3, 4);
      code.bind(0, List.of(x)).run(1, 3);
      assertThat(x.toArray(ValueLayout.JAVA_DOUBLE)).containsExactly(1, 4, 6, 4);
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> code.bind(0, List.of(x.asSlice(8))))
          .withMessageContaining("needs 32 bytes");
    }
  }

  @Test
  void whereMappedFilesCannotBeDeletedTheyGoWithTheCode() throws IOException {
    CcTarget target = present();
    Unit unit = unit("void twice(void **b, long begin, long end) {}");
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    SharedLibrary code = new SharedLibrary(unit, target.build(unit), "cc", true);
    List<Path> whileOpen = scratch(temporary);
    assertThat(whileOpen).isNotEmpty();
    code.close();
    assertThat(whileOpen).anyMatch(Files::notExists);
  }

  private static List<Path> scratch(Path temporary) throws IOException {
    try (Stream<Path> files = Files.list(temporary)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("rialto-scratch-"))
          .filter(file -> Files.exists(file.resolve("unit.so")))
          .toList();
    }
  }

  @Test
  void aCompilerThatIsMissingIsToldWithTheRemedy() {
    CcTarget target = new CcTarget("no-such-compiler", 120);
    assertThat(target.probe()).isInstanceOf(Probe.Unavailable.class);
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> target.build(unit("")))
        .withMessageContaining("no-such-compiler")
        .withMessageContaining("-Drialto.jit.cc=PATH");
  }

  @Test
  void aCompilerThatFailsIsQuoted() {
    CcTarget target = present();
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> target.build(unit("void twice( {")))
        .withMessageContaining("error:");
  }

  @Test
  void aCompilerThatHangsIsGivenUp(@TempDir Path folder) throws IOException {
    Path script = Files.writeString(folder.resolve("cc"), "#!/bin/sh\nexec sleep 600\n");
    assumeTrue(script.toFile().setExecutable(true), "scripts cannot be made here");
    CcTarget target = new CcTarget(script.toString(), 1);
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> target.build(unit("")))
        .withMessageContaining("did not end within 1 s");
  }

  @Test
  void anImageThatIsNoneIsRefused() {
    CcTarget target = present();
    assertThatExceptionOfType(CompilationException.class)
        .isThrownBy(() -> target.load(unit(""), new byte[] {1, 2, 3}))
        .withMessageContaining("cannot be loaded");
  }
}
