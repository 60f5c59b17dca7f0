package dev.rialto.system.files;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A folder for this process alone (mode 0700), in the system's temporary one, that is removed with
 * all that is in it when it is closed. What processes left that died is removed after a day, when
 * another makes its first.
 */
public final class ScratchFolder implements AutoCloseable {
  private static final String PREFIX = "rialto-scratch-";
  private static final Duration DAY = Duration.ofDays(1);
  private static final AtomicBoolean CLEANED = new AtomicBoolean();

  private final Path path;

  private ScratchFolder(Path path) {
    this.path = path;
  }

  /**
   * Makes one.
   *
   * @throws IOException if there is no room, or {@code -Djava.io.tmpdir} is no folder
   */
  public static ScratchFolder create() throws IOException {
    ScratchFolder folder = new ScratchFolder(Files.createTempDirectory(PREFIX));
    if (CLEANED.compareAndSet(false, true)) {
      clean(requireNonNull(folder.path.toAbsolutePath().getParent()), Instant.now().minus(DAY));
    }
    return folder;
  }

  /** Removes this user's folders that were last written to before a time. */
  static void clean(Path temporary, Instant before) {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(temporary, PREFIX + "*")) {
      for (Path each : left) {
        if (Files.getLastModifiedTime(each, LinkOption.NOFOLLOW_LINKS)
                    .compareTo(FileTime.from(before))
                < 0
            && Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)
            && Files.isWritable(each)) {
          delete(each);
        }
      }
    } catch (IOException e) {
      // Often because another process cleans too; the next process tries again.
      System.getLogger("dev.rialto.files")
          .log(System.Logger.Level.DEBUG, "Cleaning {0} stopped: {1}", temporary, e);
    }
  }

  /** Returns where it is. */
  public Path path() {
    return path;
  }

  /** Removes it. */
  @Override
  public void close() throws IOException {
    delete(path);
  }

  private static void delete(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path each, @Nullable IOException failure)
              throws IOException {
            Files.deleteIfExists(each);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
