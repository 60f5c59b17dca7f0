package dev.rialto.jit.run;

import dev.rialto.jit.loops.LoopsPrinter;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.system.files.CodeStore;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * Compiled code on disk, by content: the source, or the loops if the target reads those, and the
 * target with what it says of its compiler, flags and processor.
 */
public final class CodeCache {
  private static final System.Logger LOGGER = System.getLogger("dev.rialto.jit");

  private final CodeStore store;

  CodeCache(Path folder, long limit) {
    this.store = new CodeStore(folder, limit);
  }

  /**
   * Returns the image of a unit from where the system properties keep code, if they do.
   *
   * @param what it is, for the event that tells where the image came from
   */
  public static byte[] standard(CodeTarget target, Unit unit, String what) {
    long start = System.nanoTime();
    boolean[] compiled = new boolean[1];
    Supplier<byte[]> compiler =
        () -> {
          compiled[0] = true;
          return target.build(unit);
        };
    byte[] image =
        CodeStore.folder()
            .map(folder -> new CodeCache(folder, CodeStore.limit()).image(target, unit, compiler))
            .orElseGet(compiler);
    LOGGER.log(
        Level.DEBUG,
        () ->
            "%s %s for %s in %.1f ms"
                .formatted(
                    compiled[0] ? "compiled" : "took from the cache",
                    what,
                    target.name(),
                    (System.nanoTime() - start) / 1e6));
    return image;
  }

  /** Returns the image of a unit, compiled now if it has never been. */
  byte[] image(CodeTarget target, Unit unit) {
    return image(target, unit, () -> target.build(unit));
  }

  private byte[] image(CodeTarget target, Unit unit, Supplier<byte[]> compiler) {
    return store.image(
        target.name(),
        compiler,
        target.fingerprint(),
        unit.fast() ? "fast" : "strict",
        unit.source().isEmpty() ? LoopsPrinter.print(unit.procedures()) : unit.source());
  }
}
