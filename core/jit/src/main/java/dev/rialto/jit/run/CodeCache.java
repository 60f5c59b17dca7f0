package dev.rialto.jit.run;

import dev.rialto.jit.lower.LoopsPrinter;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeUnit;
import dev.rialto.spi.error.CompilationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Compiled code on disk, by content: the loops, the source, the target and what it says of its
 * compiler, flags and processor.
 *
 * <p>An entry begins with a digest of the rest; one that does not match, because it was cut off or
 * is something else, is compiled again and replaced. Entries appear whole, by renaming, so
 * processes may share a folder. When an entry makes the folder larger than it may be, those used
 * longest ago go; what is not an entry is never touched.
 */
final class CodeCache {
  private static final int DIGEST = 32;
  private static final Pattern ENTRY = Pattern.compile("\\w+-[0-9a-f]{32}");

  private final Path folder;
  private final long limit;

  /**
   * Uses a folder, which the first entry makes.
   *
   * @param limit the most bytes that all entries together take
   */
  CodeCache(Path folder, long limit) {
    this.folder = folder;
    this.limit = limit;
  }

  /** Returns the image of a unit, compiled now if it has never been. */
  byte[] image(CodeTarget target, CodeUnit unit) {
    Path file = folder.resolve(target.name() + "-" + key(target, unit));
    byte[] known = read(file);
    if (known != null) {
      return known;
    }
    byte[] image = target.build(unit);
    write(file, image);
    trim(file);
    return image;
  }

  private record Entry(Path file, long bytes, FileTime used) {}

  /** Drops entries used longest ago until the rest fits; the newest stays whatever its size. */
  private void trim(Path newest) {
    List<Entry> entries = new ArrayList<>();
    long total = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        if (ENTRY.matcher(String.valueOf(file.getFileName())).matches()) {
          BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
          entries.add(new Entry(file, attributes.size(), attributes.lastModifiedTime()));
          total += attributes.size();
        }
      }
      entries.sort(Comparator.comparing(Entry::used));
      for (Entry entry : entries) {
        if (total > limit && !entry.file().equals(newest)) {
          Files.deleteIfExists(entry.file());
          total -= entry.bytes();
        }
      }
    } catch (NoSuchFileException e) {
      // Another process trims at this moment; the next entry trims again.
    } catch (IOException e) {
      throw unusable("trim", e);
    }
  }

  private static String key(CodeTarget target, CodeUnit unit) {
    MessageDigest digest = sha256();
    for (String part :
        new String[] {
          target.name(),
          target.fingerprint(),
          unit.fast() ? "fast" : "strict",
          LoopsPrinter.print(unit.procedures()),
          unit.source()
        }) {
      digest.update(part.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
    }
    return HexFormat.of().formatHex(digest.digest(), 0, 16);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  private byte @org.jspecify.annotations.Nullable [] read(Path file) {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw unusable("read", e);
    }
    if (bytes.length < DIGEST) {
      return null;
    }
    byte[] image = Arrays.copyOfRange(bytes, DIGEST, bytes.length);
    if (!Arrays.equals(sha256().digest(image), Arrays.copyOf(bytes, DIGEST))) {
      return null;
    }
    try {
      Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    } catch (IOException e) {
      // In a folder that can only be read, nothing is ever dropped, so the time does not matter.
    }
    return image;
  }

  private void write(Path file, byte[] image) {
    try {
      Files.createDirectories(folder);
      Path part = Files.createTempFile(folder, "new", null);
      byte[] entry = Arrays.copyOf(sha256().digest(image), DIGEST + image.length);
      System.arraycopy(image, 0, entry, DIGEST, image.length);
      Files.write(part, entry);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw unusable("write", e);
    }
  }

  private CompilationException unusable(String what, IOException e) {
    return new CompilationException(
        "cannot " + what + " compiled code in " + folder + ": " + e,
        "",
        "give another folder with -Drialto.jit.cache=DIR, or none with -Drialto.jit.cache=off",
        e);
  }
}
