package dev.rialto.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.system.OperatingSystem;
import dev.rialto.system.files.ScratchFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Procedures in a shared library, {@code void name(void **, int64_t, int64_t)} each. The file is
 * deleted as soon as it is mapped; on Windows, which deletes no mapped file, when the code is
 * closed.
 */
final class SharedLibrary implements Code {
  /** One handle for all procedures, whose address is its first argument: making one is slow. */
  @SuppressWarnings("restricted")
  private static final MethodHandle CALL =
      Linker.nativeLinker()
          .downcallHandle(FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG, JAVA_LONG));

  private final Unit unit;
  private final Arena arena = Arena.ofShared();
  private final Optional<ScratchFolder> kept;
  private final MemorySegment[] functions;
  private boolean closed;

  SharedLibrary(Unit unit, byte[] image, String target) {
    this(unit, image, target, OperatingSystem.current() == OperatingSystem.WINDOWS);
  }

  @SuppressWarnings("restricted")
  SharedLibrary(Unit unit, byte[] image, String target, boolean keepsFile) {
    this.unit = unit;
    this.functions = new MemorySegment[unit.procedures().size()];
    try {
      ScratchFolder folder = ScratchFolder.create();
      boolean keep = false;
      try {
        Path file = Files.write(folder.path().resolve(unit.name() + ".so"), image);
        SymbolLookup symbols = SymbolLookup.libraryLookup(file, arena);
        for (int i = 0; i < functions.length; i++) {
          String name = unit.procedures().get(i).name();
          functions[i] = symbols.findOrThrow(name);
        }
        keep = keepsFile;
      } finally {
        if (!keep) {
          folder.close();
        }
      }
      this.kept = keep ? Optional.of(folder) : Optional.empty();
    } catch (IOException | IllegalArgumentException | java.util.NoSuchElementException e) {
      arena.close();
      throw new CompilationException(
          "the code of " + unit.name() + " cannot be loaded: " + e.getMessage(),
          target,
          "make sure that %s can be written and allows execution, or set -Djava.io.tmpdir"
              .formatted(System.getProperty("java.io.tmpdir")),
          e);
    }
  }

  @Override
  public RangeBody bind(int procedure, List<MemorySegment> buffers) {
    Procedure code = unit.procedures().get(procedure);
    Code.check(code, buffers);
    MemorySegment pointers = Arena.ofAuto().allocate(ADDRESS, Math.max(1, buffers.size()));
    for (int i = 0; i < buffers.size(); i++) {
      pointers.setAtIndex(ADDRESS, i, buffers.get(i));
    }
    return new Bound(functions[procedure], pointers);
  }

  private record Bound(MemorySegment function, MemorySegment pointers) implements RangeBody {
    @Override
    public void run(long begin, long end) {
      try {
        CALL.invokeExact(function, pointers, begin, end);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new AssertionError("native code throws nothing", e);
      }
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      arena.close();
      if (kept.isPresent()) {
        delete(kept.get());
      }
    }
  }

  private static void delete(ScratchFolder folder) {
    try {
      folder.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + folder.path(), e);
    }
  }
}
