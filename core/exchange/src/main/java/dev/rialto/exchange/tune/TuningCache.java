package dev.rialto.exchange.tune;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.Properties;

/**
 * Answers of the tuner, kept in a file from one process to the next.
 *
 * <p>A key names everything that an answer depends on. The file is replaced as a whole, so readers
 * never see half of it; of two processes that write at once, one's answer is lost and found again.
 * A file that cannot be read or is not one of these counts as empty; one that cannot be written is
 * told in a warning: neither is a reason to lose an answer that was found.
 */
public final class TuningCache {
  private static final System.Logger LOG = System.getLogger("dev.rialto.tune");

  private final Path file;

  private TuningCache(Path file) {
    this.file = file;
  }

  /** Returns the cache in the user's cache folder, or where {@code -Drialto.cache} says. */
  public static TuningCache standard() {
    String folder = System.getProperty("rialto.cache", "");
    Path place =
        folder.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache", "rialto")
            : Path.of(folder);
    return in(place);
  }

  /** Returns the cache in a folder, which is made when something is remembered. */
  public static TuningCache in(Path folder) {
    return new TuningCache(folder.resolve("tuning.properties"));
  }

  Optional<String> get(String key) {
    return Optional.ofNullable(read().getProperty(key));
  }

  private Properties read() {
    Properties all = new Properties();
    if (Files.exists(file)) {
      try (Reader reader = Files.newBufferedReader(file)) {
        all.load(reader);
      } catch (IOException | IllegalArgumentException e) {
        LOG.log(Level.WARNING, "{0} is not used: {1}", file, e.toString());
        return new Properties();
      }
    }
    return all;
  }

  void put(String key, String value) {
    Properties all = read();
    all.setProperty(key, value);
    try {
      Path folder = Files.createDirectories(file.getParent());
      Path next = Files.createTempFile(folder, "tuning", ".new");
      try (Writer writer = Files.newBufferedWriter(next)) {
        all.store(writer, "What Rialto's tuner found; remove it to tune again");
      }
      Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.log(Level.WARNING, "What was tuned is not remembered in {0}: {1}", file, e.toString());
    }
  }
}
