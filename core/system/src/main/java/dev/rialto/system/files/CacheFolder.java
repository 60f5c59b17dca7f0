package dev.rialto.system.files;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A folder of what is worth keeping from one process to the next: compiled code, answers of tuners,
 * measured limits. All of it can be found again, so a folder that cannot be used costs time only,
 * and one warning.
 *
 * <p>Code is loaded from here, so only what this user (or root) wrote and no other can write is
 * read: owner and mode of the folder and of the file are checked, and a file that is a link is not
 * followed. The checks and the reading go by the same open folder where the system offers that, so
 * that renaming folders in between gains nothing. New folders are for the user alone (mode 0700).
 * Entries appear whole; temporary files that a process left when it died are removed after a day.
 */
public final class CacheFolder {
  private static final System.Logger LOG = System.getLogger("dev.rialto.cache");
  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");
  private static final Duration DAY = Duration.ofDays(1);

  private static final Set<Path> WARNED = ConcurrentHashMap.newKeySet();

  private static final Set<Path> CLEANED = ConcurrentHashMap.newKeySet();

  private final Optional<Path> folder;
  private final boolean own;

  /**
   * Makes one.
   *
   * @param own whether it is Rialto's own place, which an earlier version may have left open to
   *     readers, and not one that a user chose
   */
  private CacheFolder(Optional<Path> folder, boolean own) {
    this.folder = folder;
    this.own = own;
  }

  /**
   * Returns the user's: {@code -Drialto.cache=DIR}, or {@code rialto} in {@code $XDG_CACHE_HOME} or
   * in {@code ~/.cache}. With {@code -Drialto.cache=off} nothing is kept.
   */
  public static CacheFolder standard() {
    return standard(System::getProperty, System::getenv);
  }

  static CacheFolder standard(
      UnaryOperator<@Nullable String> property, UnaryOperator<@Nullable String> environment) {
    String given = property.apply("rialto.cache");
    if (given != null && !given.isEmpty()) {
      return given.equals("off") ? none() : in(Path.of(given));
    }
    // Relative paths are to be ignored, says the XDG specification.
    String xdg = environment.apply("XDG_CACHE_HOME");
    if (xdg != null && Path.of(xdg).isAbsolute()) {
      return new CacheFolder(Optional.of(Path.of(xdg, "rialto")), true);
    }
    String home = property.apply("user.home");
    return home == null || !Path.of(home).isAbsolute()
        ? none()
        : new CacheFolder(Optional.of(Path.of(home, ".cache", "rialto")), true);
  }

  /** Returns one that keeps nothing. */
  public static CacheFolder none() {
    return new CacheFolder(Optional.empty(), false);
  }

  /** Returns a folder, which is made when something is first kept in it. */
  public static CacheFolder in(Path folder) {
    return new CacheFolder(Optional.of(folder.toAbsolutePath()), false);
  }

  /** Returns a folder in this one. */
  public CacheFolder folder(String name) {
    return new CacheFolder(folder.map(path -> path.resolve(name)), own);
  }

  /** Returns where it is; empty if nothing is kept. */
  public Optional<Path> path() {
    return folder;
  }

  /** Returns what was kept under a name, if it is there and can be trusted. */
  public Optional<byte[]> read(String name) {
    if (folder.isEmpty() || !Files.exists(folder.get().resolve(name))) {
      return Optional.empty();
    }
    Path path = folder.get();
    try (DirectoryStream<Path> open = Files.newDirectoryStream(path.toRealPath())) {
      Optional<String> doubt = Doubts.about(path, open, name);
      if (doubt.isPresent()) {
        warn(doubt.get());
        return Optional.empty();
      }
      try (InputStream in = Channels.newInputStream(channel(open, path, name))) {
        return Optional.of(in.readAllBytes());
      }
    } catch (NoSuchFileException e) {
      return Optional.empty(); // another process has just removed it
    } catch (IOException e) {
      warn("cannot be read: " + e);
      return Optional.empty();
    }
  }

  private static SeekableByteChannel channel(DirectoryStream<Path> open, Path path, String name)
      throws IOException {
    Set<java.nio.file.OpenOption> options =
        Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    return open instanceof SecureDirectoryStream<Path> secure
        ? secure.newByteChannel(Path.of(name), options)
        : Files.newByteChannel(path.resolve(name), options);
  }

  /** Keeps something under a name, in place of what was there. */
  public void write(String name, byte[] content) {
    write(name, out -> out.write(content));
  }

  /** Keeps what is written to a stream, as {@link #write(String, byte[])}. */
  public void write(String name, WholeFile.Content content) {
    if (folder.isEmpty()) {
      return;
    }
    Path path = folder.get();
    try {
      make(path);
      try (DirectoryStream<Path> open = Files.newDirectoryStream(path.toRealPath())) {
        Optional<String> doubt = Doubts.about(path, open);
        if (doubt.isPresent()) {
          warn(doubt.get());
          return;
        }
      }
      clean(path);
      // Not forced to the disk: what a power failure spoils is noticed, and found again.
      WholeFile.write(path.resolve(name), content, false);
    } catch (IOException e) {
      warn("keeps nothing: " + e.getMessage());
    }
  }

  /** Makes a folder for this user alone; one that is wider and this user's is narrowed. */
  private void make(Path path) throws IOException {
    if (!Doubts.posix(path)) {
      Files.createDirectories(path);
    } else if (!Files.isDirectory(path)) {
      Files.createDirectories(path, PosixFilePermissions.asFileAttribute(PRIVATE));
    } else if (own && Doubts.readableByOthers(path)) {
      Files.setPosixFilePermissions(path, PRIVATE);
    }
  }

  /** Removes, once in a process, temporary files that other processes left when they died. */
  private static void clean(Path path) {
    if (!CLEANED.add(path)) {
      return;
    }
    FileTime old = FileTime.from(Instant.now().minus(DAY));
    try (DirectoryStream<Path> left = Files.newDirectoryStream(path, ".*" + WholeFile.ENDING)) {
      for (Path file : left) {
        if (Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).compareTo(old) < 0) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException e) {
      // Often because another process cleans too; the next process tries again.
      LOG.log(Level.DEBUG, "Cleaning {0} stopped: {1}", path, e);
    }
  }

  private void warn(String what) {
    Path path = folder.orElseThrow();
    if (WARNED.add(path)) {
      LOG.log(
          Level.WARNING,
          "The cache folder {0} {1}. Rialto works without it; -Drialto.cache=DIR names another.",
          path,
          what);
    }
  }

  /** Reasons not to trust a folder and a file in it. */
  private static final class Doubts {
    private static final Set<PosixFilePermission> BY_OTHERS =
        PosixFilePermissions.fromString("----w--w-");

    private static volatile @Nullable UserPrincipal me;

    private Doubts() {}

    static boolean posix(Path path) {
      return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Returns whether others can look into a folder of this user's, but not write to it. */
    static boolean readableByOthers(Path path) throws IOException {
      PosixFileAttributes of = Files.readAttributes(path, PosixFileAttributes.class);
      return of.owner().equals(me()) && !writableByOthers(of) && !of.permissions().equals(PRIVATE);
    }

    static Optional<String> about(Path path, DirectoryStream<Path> open) throws IOException {
      if (!posix(path)) {
        return Optional.empty();
      }
      UserPrincipal me = me();
      PosixFileAttributes link =
          Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      PosixFileAttributes real =
          open instanceof SecureDirectoryStream<Path> secure
              ? secure.getFileAttributeView(PosixFileAttributeView.class).readAttributes()
              : Files.readAttributes(path, PosixFileAttributes.class);
      // Finding the name of an owner takes longer than the rest; without a link there is but one.
      if (!trusted(real, me) || !(isSame(link, real) || trusted(link, me))) {
        return Optional.of("is not used: it belongs to " + real.owner().getName());
      }
      return writableByOthers(real)
          ? Optional.of("is not used: others can write to it; 'chmod 700' it")
          : Optional.empty();
    }

    static Optional<String> about(Path path, DirectoryStream<Path> open, String name)
        throws IOException {
      Optional<String> folder = about(path, open);
      if (folder.isPresent() || !posix(path)) {
        return folder;
      }
      PosixFileAttributeView view =
          open instanceof SecureDirectoryStream<Path> secure
              ? secure.getFileAttributeView(
                  Path.of(name), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
              : Files.getFileAttributeView(
                  path.resolve(name), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
      PosixFileAttributes file = view.readAttributes();
      if (!file.isRegularFile() || !trusted(file, me()) || writableByOthers(file)) {
        return Optional.of(
            "has a file that is not used because it is a link, or others can write it: " + name);
      }
      return Optional.empty();
    }

    private static boolean writableByOthers(PosixFileAttributes of) {
      return BY_OTHERS.stream().anyMatch(of.permissions()::contains);
    }

    private static boolean isSame(PosixFileAttributes one, PosixFileAttributes other) {
      return one.fileKey() != null && one.fileKey().equals(other.fileKey());
    }

    private static boolean trusted(PosixFileAttributes of, UserPrincipal me) {
      String owner = of.owner().getName();
      return of.owner().equals(me) || owner.equals("root") || owner.equals("0");
    }

    /** Returns who this process is, which it stays. */
    private static UserPrincipal me() throws IOException {
      UserPrincipal known = me;
      if (known == null) {
        // Linux tells, elsewhere it is whose home this is.
        Path self = Path.of("/proc/self");
        known =
            Files.getOwner(
                Files.exists(self) ? self : Path.of(System.getProperty("user.home", "/")));
        me = known;
      }
      return known;
    }
  }
}
