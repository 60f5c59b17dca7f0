package dev.rialto.jit.run;

import dev.rialto.jit.lower.LoopsPrinter;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeUnit;
import dev.rialto.spi.parts.CodeStore;
import java.nio.file.Path;

/**
 * Compiled code on disk, by content: the source, or the loops if the target reads those, and the
 * target with what it says of its compiler, flags and processor.
 */
public final class CodeCache {
  private final CodeStore store;

  CodeCache(Path folder, long limit) {
    this.store = new CodeStore(folder, limit);
  }

  /** Returns the image of a unit from where the system properties keep code, if they do. */
  public static byte[] standard(CodeTarget target, CodeUnit unit) {
    return CodeStore.folder()
        .map(folder -> new CodeCache(folder, CodeStore.limit()).image(target, unit))
        .orElseGet(() -> target.build(unit));
  }

  /** Returns the image of a unit, compiled now if it has never been. */
  byte[] image(CodeTarget target, CodeUnit unit) {
    return store.image(
        target.name(),
        () -> target.build(unit),
        target.fingerprint(),
        unit.fast() ? "fast" : "strict",
        unit.source().isEmpty() ? LoopsPrinter.print(unit.procedures()) : unit.source());
  }
}
