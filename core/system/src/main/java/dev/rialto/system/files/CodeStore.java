package dev.rialto.system.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Compiled code on disk, by what it was compiled from.
 *
 * <p>An entry begins with a checksum of the rest; one that does not match, because it was cut off
 * or is something else, is compiled again and replaced. It is a CRC: against accidents it does as
 * well as a digest, and a JVM that has just started computes it a hundred times faster. Against
 * other users the folder is checked, as {@link CacheFolder} says; where it cannot be used, code is
 * compiled again. Entries appear whole, so processes may share a folder. When an entry makes the
 * folder larger than it may be, those used longest ago go; what is not an entry is never touched.
 */
public final class CodeStore {
  private static final int CHECKSUM = Long.BYTES;
  private static final Pattern ENTRY = Pattern.compile("\\w+-[0-9a-f]{32}");
  private static final long DEFAULT_LIMIT_MIB = 256;

  private static final byte[] NOTHING = {};
  private static final System.Logger LOG = System.getLogger("dev.rialto.cache");

  /** How many bytes this process may add to a folder before it looks at the whole again. */
  private static final Map<Limited, Long> ROOM = new ConcurrentHashMap<>();

  private final CacheFolder cache;
  private final Path folder;
  private final long limit;

  /**
   * Keeps code in a folder, which is made when the first entry is.
   *
   * @param limit the most bytes that all entries together take
   */
  public CodeStore(Path folder, long limit) {
    this.cache = CacheFolder.in(folder);
    this.folder = folder;
    this.limit = limit;
  }

  /**
   * Returns the folder that {@code -Drialto.jit.cache=DIR} names, none for {@code off}, or one in
   * the user's cache folder.
   */
  public static Optional<Path> folder() {
    String given = System.getProperty("rialto.jit.cache");
    if (given == null) {
      return CacheFolder.standard().folder("code").path();
    }
    return given.equals("off") ? Optional.empty() : Optional.of(Path.of(given));
  }

  /**
   * Returns how many bytes {@code -Drialto.jit.cache.mib=N} allows, or 256 MiB.
   *
   * @throws IllegalArgumentException if that is not a number
   */
  public static long limit() {
    String mib = System.getProperty("rialto.jit.cache.mib");
    try {
      return (mib == null ? DEFAULT_LIMIT_MIB : Long.parseLong(mib)) << 20;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "-Drialto.jit.cache.mib=" + mib + " is not a number of MiB, such as 256", e);
    }
  }

  /**
   * Returns an image, compiled now if it has never been.
   *
   * @param target the first part of the file's name
   * @param compiler makes the image
   * @param parts everything the image depends on
   */
  public byte[] image(String target, Supplier<byte[]> compiler, String... parts) {
    String name = target + "-" + key(target, parts);
    Optional<byte[]> known = read(name);
    if (known.isPresent()) {
      return known.get();
    }
    byte[] image = compiler.get();
    write(name, image);
    makeRoom(folder.resolve(name), CHECKSUM + image.length);
    return image;
  }

  /**
   * Looks at the whole folder before this process could have filled what was free at the last look;
   * with many entries a look takes as long as a small kernel.
   */
  private void makeRoom(Path newest, long bytes) {
    ROOM.compute(
        new Limited(folder, limit),
        (_, room) -> room == null || room < bytes ? trim(newest) / 2 : room - bytes);
  }

  private record Limited(Path folder, long limit) {}

  private record Entry(Path file, long bytes, FileTime used) {}

  /**
   * Drops entries used longest ago until the rest fits; the newest stays whatever its size. Returns
   * how many bytes are free.
   */
  private long trim(Path newest) {
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
    } catch (IOException e) {
      // Another process trims at this moment, or nothing could be kept; the next entry trims again.
      LOG.log(System.Logger.Level.DEBUG, "Trimming {0} stopped: {1}", folder, e);
      return 0;
    }
    return limit - total;
  }

  private static String key(String target, String... parts) {
    MessageDigest digest = sha256();
    digest.update(target.getBytes(StandardCharsets.UTF_8));
    for (String part : parts) {
      digest.update((byte) 0);
      digest.update(part.getBytes(StandardCharsets.UTF_8));
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

  private Optional<byte[]> read(String name) {
    byte[] bytes = cache.read(name).orElse(NOTHING);
    if (bytes.length < CHECKSUM || ByteBuffer.wrap(bytes).getLong() != checksum(bytes)) {
      return Optional.empty();
    }
    try {
      Files.setLastModifiedTime(folder.resolve(name), FileTime.from(Instant.now()));
    } catch (IOException e) {
      // In a folder that can only be read, nothing is ever dropped, so the time does not matter.
    }
    return Optional.of(Arrays.copyOfRange(bytes, CHECKSUM, bytes.length));
  }

  /** Of all but the first bytes; the length is in it so that a run of zeros is no entry. */
  private static long checksum(byte[] entry) {
    CRC32 crc = new CRC32();
    crc.update(entry, CHECKSUM, entry.length - CHECKSUM);
    return (long) entry.length << Integer.SIZE | crc.getValue();
  }

  private void write(String name, byte[] image) {
    byte[] entry = new byte[CHECKSUM + image.length];
    System.arraycopy(image, 0, entry, CHECKSUM, image.length);
    ByteBuffer.wrap(entry).putLong(checksum(entry));
    cache.write(name, entry);
  }
}
