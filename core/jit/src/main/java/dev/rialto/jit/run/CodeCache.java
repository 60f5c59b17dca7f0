package dev.rialto.jit.run;

import dev.rialto.jit.loops.LoopsPrinter;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.system.files.CodeStore;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Compiled code on disk, by content: the source, or the loops if the target reads those, and the
 * target with what it says of its compiler, flags and processor.
 */
public final class CodeCache {
  private static final System.Logger LOGGER = System.getLogger("dev.rialto.jit");

  private CodeCache() {}

  /**
   * Returns the image of a unit from where the system properties keep code, if they do.
   *
   * @param what it is, for the event that tells where the image came from
   */
  public static byte[] standard(CodeTarget target, Unit unit, String what) {
    return image(CodeStore.folder(), CodeStore.limit(), target, unit, what);
  }

  /** Returns the image of a unit from where settings keep code, if they do. */
  static byte[] image(Settings settings, CodeTarget target, Unit unit) {
    return image(settings.cache(), settings.cacheLimit(), target, unit, unit.name());
  }

  private static byte[] image(
      Optional<Path> folder, long limit, CodeTarget target, Unit unit, String what) {
    long start = System.nanoTime();
    boolean[] compiled = new boolean[1];
    Supplier<byte[]> compiler =
        () -> {
          compiled[0] = true;
          return target.build(unit);
        };
    byte[] image =
        folder
            .map(
                each ->
                    new CodeStore(each, limit)
                        .image(
                            target.name(),
                            compiler,
                            target.fingerprint(),
                            unit.fast() ? "fast" : "strict",
                            unit.source().isEmpty()
                                ? LoopsPrinter.print(unit.procedures())
                                : unit.source()))
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
}
