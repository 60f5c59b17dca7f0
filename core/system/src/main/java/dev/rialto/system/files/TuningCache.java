package dev.rialto.system.files;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.StringReader;
import java.io.Writer;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;

/**
 * Answers of tuners, kept in a file from one process to the next. Thread-safe.
 *
 * <p>A key names everything that an answer depends on. The file is replaced as a whole, so readers
 * never see half of it; of two processes that write at once, one's answer is lost and found again.
 * A file that cannot be read or is not one of these counts as empty; one that cannot be written is
 * told in a warning: neither is a reason to lose an answer that was found.
 */
public final class TuningCache {
  private static final System.Logger LOG = System.getLogger("dev.rialto.tune");

  private static final String FILE = "tuning.properties";

  /** Threads that write at once would lose an answer. */
  private static final Object WRITING = new Object();

  private final CacheFolder folder;

  private TuningCache(CacheFolder folder) {
    this.folder = folder;
  }

  /** Returns the cache in the user's cache folder; see {@link CacheFolder#standard}. */
  public static TuningCache standard() {
    return new TuningCache(CacheFolder.standard());
  }

  /** Returns the cache in a folder, which is made when something is remembered. */
  public static TuningCache in(Path folder) {
    return new TuningCache(CacheFolder.in(folder));
  }

  /** Returns one that remembers nothing. */
  public static TuningCache none() {
    return new TuningCache(CacheFolder.none());
  }

  /** Returns the answer for a key, if there is one. */
  public Optional<String> get(String key) {
    return Optional.ofNullable(read().getProperty(key));
  }

  private Properties read() {
    Properties all = new Properties();
    Optional<byte[]> kept = folder.read(FILE);
    if (kept.isPresent()) {
      try {
        all.load(new StringReader(new String(kept.get(), StandardCharsets.UTF_8)));
      } catch (IOException | IllegalArgumentException e) {
        LOG.log(
            Level.WARNING,
            "{0} in {1} is not used: {2}",
            FILE,
            folder.path().orElseThrow(),
            e.toString());
        return new Properties();
      }
    }
    return all;
  }

  /** Remembers the answer for a key, in place of the one before. */
  public void put(String key, String value) {
    synchronized (WRITING) {
      Properties all = read();
      all.setProperty(key, value);
      folder.write(
          FILE,
          out -> {
            Writer writer = new OutputStreamWriter(out, StandardCharsets.UTF_8);
            all.store(writer, "What Rialto's tuners found; remove it to tune again");
            writer.flush();
          });
    }
  }
}
