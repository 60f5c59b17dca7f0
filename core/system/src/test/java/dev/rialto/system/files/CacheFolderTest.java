package dev.rialto.system.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheFolderTest {
  private static final Logger LOGGER = Logger.getLogger("dev.rialto.cache");

  @TempDir private Path folder;
  private final List<String> warnings = new ArrayList<>();
  private final Handler listener =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          warnings.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    LOGGER.setUseParentHandlers(false);
    LOGGER.addHandler(listener);
  }

  @AfterEach
  void stopListening() {
    LOGGER.removeHandler(listener);
    LOGGER.setUseParentHandlers(true);
  }

  private static void mode(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static Path place(Map<String, String> properties, Map<String, String> environment) {
    return CacheFolder.standard(properties::get, environment::get).path().orElse(Path.of("none"));
  }

  @Test
  void theUsersFolderFollowsThePropertyThenXdgThenTheHome() {
    Map<String, String> home = Map.of("user.home", "/home/u");
    assertThat(place(home, Map.of())).isEqualTo(Path.of("/home/u/.cache/rialto"));
    assertThat(place(home, Map.of("XDG_CACHE_HOME", "/x"))).isEqualTo(Path.of("/x/rialto"));
    assertThat(place(home, Map.of("XDG_CACHE_HOME", "relative")))
        .isEqualTo(Path.of("/home/u/.cache/rialto"));
    assertThat(place(home, Map.of("XDG_CACHE_HOME", "")))
        .isEqualTo(Path.of("/home/u/.cache/rialto"));
    assertThat(place(Map.of("user.home", "/home/u", "rialto.cache", "/c"), Map.of()))
        .isEqualTo(Path.of("/c"));
    // No home is no reason to share a folder with others.
    assertThat(place(Map.of("user.home", "?"), Map.of())).isEqualTo(Path.of("none"));
    assertThat(place(Map.of("rialto.cache", "off"), Map.of())).isEqualTo(Path.of("none"));
    CacheFolder.none().write("a", new byte[1]);
    assertThat(CacheFolder.none().read("a")).isEmpty();
  }

  @Test
  void foldersThatAreMadeAreForTheUserAlone() throws IOException {
    CacheFolder cache =
        CacheFolder.standard(Map.of("user.home", folder.toString())::get, _ -> null);
    cache.folder("code").write("a", "kept".getBytes(UTF_8));

    assertThat(cache.folder("code").read("a")).map(String::new).contains("kept");
    for (String each : List.of(".cache", ".cache/rialto", ".cache/rialto/code")) {
      assertThat(mode(folder.resolve(each))).as(each).isEqualTo("rwx------");
    }
    mode(folder.resolve(".cache/rialto"), "rwxr-xr-x");
    cache.write("b", new byte[1]);
    assertThat(mode(folder.resolve(".cache/rialto"))).isEqualTo("rwx------");
    assertThat(warnings).isEmpty();
  }

  @Test
  void aFolderThatOthersCanWriteIsNeitherReadNorWritten() throws IOException {
    CacheFolder cache = CacheFolder.in(folder.resolve("c"));
    cache.write("a", new byte[1]);
    for (String open : List.of("rwxrwx---", "rwx---rwx")) {
      mode(folder.resolve("c"), open);
      assertThat(cache.read("a")).as(open).isEmpty();
      cache.write("b", new byte[1]);
      assertThat(folder.resolve("c/b")).doesNotExist();
    }
    mode(folder.resolve("c"), "rwx------");
    assertThat(cache.read("a")).isPresent();
    assertThat(warnings).hasSize(1);
    assertThat(warnings.getFirst()).contains("{0}");
  }

  @Test
  void linksAndFilesThatOthersCanWriteAreNotRead() throws IOException {
    Path place = folder.resolve("c");
    CacheFolder cache = CacheFolder.in(place);
    cache.write("a", new byte[1]);
    Files.createSymbolicLink(place.resolve("link"), Path.of("a"));
    Files.createDirectory(place.resolve("directory"));
    assertThat(cache.read("link")).isEmpty();
    assertThat(cache.read("directory")).isEmpty();
    mode(place.resolve("a"), "rw-rw----");
    assertThat(cache.read("a")).isEmpty();
    assertThat(warnings).hasSize(1);
  }

  @Test
  void aFolderReachedThroughAUsersOwnLinkIsUsed() throws IOException {
    Path real = Files.createDirectory(folder.resolve("scratch"));
    mode(real, "rwx------");
    Files.createSymbolicLink(folder.resolve("c"), real);
    CacheFolder cache = CacheFolder.in(folder.resolve("c"));
    cache.write("a", new byte[] {7});
    assertThat(cache.read("a")).contains(new byte[] {7});
  }

  @Test
  void aFolderThatCannotBeMadeCostsOneWarning() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "in the way");
    CacheFolder cache = CacheFolder.in(file.resolve("c"));
    cache.write("a", new byte[1]);
    cache.write("b", new byte[1]);
    assertThat(cache.read("a")).isEmpty();
    assertThat(warnings).hasSize(1);
  }

  @Test
  void whatDeadProcessesLeftGoesAfterADay() throws IOException {
    Path place = folder.resolve("c");
    Files.createDirectory(place);
    mode(place, "rwx------");
    Path old = Files.writeString(place.resolve(".x.0123456789abcdef.part"), "half");
    Path young = Files.writeString(place.resolve(".y.0123456789abcdef.part"), "half");
    Path other = Files.writeString(place.resolve("entry"), "whole");
    FileTime before = FileTime.from(Instant.now().minus(Duration.ofDays(2)));
    Files.setLastModifiedTime(old, before);
    Files.setLastModifiedTime(other, before);
    CacheFolder.in(place).write("a", new byte[1]);

    try (Stream<Path> left = Files.list(place)) {
      assertThat(left).containsExactlyInAnyOrder(young, other, place.resolve("a"));
    }
  }

  @Test
  void scratchFoldersGoWithAllThatIsInThem() throws IOException {
    Path path;
    try (ScratchFolder scratch = ScratchFolder.create()) {
      path = scratch.path();
      assertThat(mode(path)).isEqualTo("rwx------");
      Files.createDirectory(path.resolve("sub"));
      Files.writeString(path.resolve("sub/a"), "x");
    }
    assertThat(path).doesNotExist();

    Path dead = Files.createDirectory(folder.resolve("rialto-scratch-1"));
    Files.writeString(dead.resolve("a"), "x");
    Path others = Files.createDirectory(folder.resolve("something"));
    ScratchFolder.clean(folder, Instant.now().minus(Duration.ofDays(1)));
    assertThat(dead).exists();
    ScratchFolder.clean(folder, Instant.now().plus(Duration.ofDays(1)));
    assertThat(dead).doesNotExist();
    assertThat(others).exists();
  }
}
