package dev.rialto.system.files;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A file that appears whole or not at all: it is written under a temporary name in its folder,
 * forced to the disk, and renamed. Until then a file of its name stays as it was, also where the
 * disk is full; what reads the old one while it is replaced goes on reading the old one.
 *
 * {@snippet :
 * WholeFile.write(path, Json.write(result));
 * }
 *
 * <p>A link stays a link, and what it leads to is replaced. A file that may not be written is not
 * replaced, and a new one has the permissions of the old. Messages of exceptions name the file and
 * the reason as a sentence without its full stop.
 */
public final class WholeFile implements AutoCloseable {
  /** The end of the name of a temporary file. */
  static final String ENDING = ".part";

  private static final int MOST_LINKS = 40;

  /** Of the file's name, the temporary one has so many letters: names have a limit. */
  private static final int NAMED = 40;

  private static final Set<WholeFile> PENDING = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final Path target;
  private final Path temporary;

  private WholeFile(Path file, Path target, Path temporary) {
    this.file = file;
    this.target = target;
    this.temporary = temporary;
  }

  /** The content of a file. */
  @FunctionalInterface
  public interface Content {
    /** Writes it. */
    void writeTo(OutputStream out) throws IOException;
  }

  /** Work on the temporary file. */
  @FunctionalInterface
  public interface Step {
    /** Does it. */
    void run(Path temporary) throws IOException;
  }

  /** Writes a file by work on the temporary one, which is there and empty. */
  public static void make(Path file, Step step) throws IOException {
    make(file, step, true);
  }

  /** Writes a file. */
  public static void write(Path file, Content content) throws IOException {
    write(file, content, true);
  }

  /** Writes a file of bytes. */
  public static void write(Path file, byte[] content) throws IOException {
    write(file, out -> out.write(content));
  }

  /** Writes a file of text in UTF-8. */
  public static void write(Path file, String text) throws IOException {
    write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  static void write(Path file, Content content, boolean forced) throws IOException {
    make(
        file,
        temporary -> {
          try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(temporary))) {
            content.writeTo(out);
          }
        },
        forced);
  }

  private static void make(Path file, Step step, boolean forced) throws IOException {
    try (WholeFile whole = create(file)) {
      try {
        step.run(whole.temporary);
      } catch (IOException e) {
        throw failure(file, e);
      }
      whole.commit(forced);
    }
  }

  /**
   * Begins a file: makes the temporary one, empty.
   *
   * @throws IOException if the file could not be put there
   */
  public static WholeFile create(Path file) throws IOException {
    return create(file, token());
  }

  /** Returns a number that no other file is likely to be begun with. */
  public static long token() {
    return ThreadLocalRandom.current().nextLong() & Long.MAX_VALUE;
  }

  /** Begins a file under the name that {@link #temporary(Path, long)} gives. */
  public static WholeFile create(Path file, long token) throws IOException {
    Path target = target(file);
    try {
      boolean exists = Files.exists(target, LinkOption.NOFOLLOW_LINKS);
      if (exists && !Files.isRegularFile(target)) {
        throw new FileSystemException(file.toString(), null, "it is not a regular file");
      }
      if (exists && !Files.isWritable(target)) {
        throw new AccessDeniedException(file.toString());
      }
      WholeFile whole = new WholeFile(file, target, temporary(file, token));
      Files.newByteChannel(
              whole.temporary, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
          .close();
      PENDING.add(whole);
      if (exists) {
        whole.keepPermissions();
      }
      return whole;
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /** Returns the temporary name of a file that was begun with a number, by whichever process. */
  public static Path temporary(Path file, long token) throws IOException {
    Path target = target(file);
    String name = String.valueOf(target.getFileName());
    return target.resolveSibling(
        "."
            + name.substring(0, Math.min(name.length(), NAMED))
            + "."
            + HexFormat.of().toHexDigits(token)
            + ENDING);
  }

  /** Follows links, also one that leads to nothing yet. */
  private static Path target(Path file) throws IOException {
    Path at = file.toAbsolutePath();
    for (int links = 0; Files.isSymbolicLink(at); links++) {
      if (links == MOST_LINKS) {
        throw new IOException(file + " cannot be written: its links lead in a circle");
      }
      at = at.resolveSibling(Files.readSymbolicLink(at));
    }
    if (at.getFileName() == null) {
      throw new IOException(file + " cannot be written: it is a folder");
    }
    return at;
  }

  private void keepPermissions() throws IOException {
    PosixFileAttributeView old = Files.getFileAttributeView(target, PosixFileAttributeView.class);
    PosixFileAttributeView mine =
        Files.getFileAttributeView(temporary, PosixFileAttributeView.class);
    if (old != null && mine != null) {
      mine.setPermissions(old.readAttributes().permissions());
    }
  }

  /** Returns where to write until {@link #commit}. */
  public Path temporary() {
    return temporary;
  }

  /**
   * Puts what was written in place.
   *
   * @throws IOException if it does not reach the disk; then the old file stays
   */
  public void commit() throws IOException {
    commit(true);
  }

  private void commit(boolean forced) throws IOException {
    try {
      if (forced) {
        try (FileChannel written = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
          written.force(true);
        }
      }
      Files.move(
          temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      PENDING.remove(this);
    } catch (IOException e) {
      throw failure(file, e);
    }
  }

  /** Removes the temporary file if it was not put in place. */
  @Override
  public void close() {
    if (PENDING.remove(this)) {
      try {
        Files.deleteIfExists(temporary);
      } catch (IOException e) {
        System.getLogger("dev.rialto.files")
            .log(System.Logger.Level.WARNING, "{0} is left behind: {1}", temporary, e.toString());
      }
    }
  }

  /** Removes what is unfinished; for the last moments of a process that was told to end. */
  public static void discardUnfinished() {
    PENDING.forEach(WholeFile::close);
  }

  /** Says in words of people why a file cannot be written. */
  public static IOException failure(Path file, IOException e) {
    return new IOException(file + " cannot be written: " + reason(e), e);
  }

  private static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "its folder does not exist";
      case AccessDeniedException _ -> "permission denied";
      case FileSystemException system when system.getReason() != null -> system.getReason();
      default -> String.valueOf(e.getMessage());
    };
  }
}
