package dev.rialto.system.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
  @TempDir private Path folder;

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.sorted().toList();
    }
  }

  @Test
  void aFileIsReplacedAndNothingElseIsLeft() throws IOException {
    Path file = folder.resolve("a.txt");
    WholeFile.write(file, "one");
    WholeFile.write(file, "two");

    assertThat(file).hasContent("two");
    assertThat(files()).containsExactly(file);
  }

  @Test
  void untilItIsCommittedTheOldFileStaysAndWhatReadsItGoesOn() throws IOException {
    Path file = Files.writeString(folder.resolve("a.txt"), "old");
    try (var reading = Files.newInputStream(file)) {
      try (WholeFile whole = WholeFile.create(file)) {
        Files.writeString(whole.temporary(), "new");
        assertThat(file).hasContent("old");
        whole.commit();
      }
      assertThat(file).hasContent("new");
      assertThat(reading.readAllBytes()).asString().isEqualTo("old");
    }
  }

  @Test
  void aFailureLeavesTheOldFileAndNoTemporary() throws IOException {
    Path file = Files.writeString(folder.resolve("a.txt"), "old");

    assertThatIOException()
        .isThrownBy(
            () ->
                WholeFile.write(
                    file,
                    out -> {
                      out.write(new byte[100_000]);
                      throw new IOException("No space left on device");
                    }))
        .withMessage(file + " cannot be written: No space left on device");
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(
            () ->
                WholeFile.make(
                    file,
                    _ -> {
                      throw new IllegalStateException("mine");
                    }));

    assertThat(file).hasContent("old");
    assertThat(files()).containsExactly(file);
  }

  @Test
  void whatIsUnfinishedWhenAProcessEndsIsRemoved() throws IOException {
    Path file = folder.resolve("a.txt");
    try (WholeFile whole = WholeFile.create(file)) {
      assertThat(files()).containsExactly(whole.temporary());
      WholeFile.discardUnfinished();
      assertThat(files()).isEmpty();
    }
  }

  @Test
  void linksStayLinksAndOtherNamesOfTheOldFileKeepIt() throws IOException {
    Path file = Files.writeString(folder.resolve("a.txt"), "old");
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("a.txt"));
    Path other = Files.createLink(folder.resolve("other"), file);
    WholeFile.write(link, "new");

    assertThat(link).isSymbolicLink().hasContent("new");
    assertThat(file).isRegularFile().hasContent("new");
    assertThat(other).hasContent("old");

    Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), Path.of("fresh"));
    WholeFile.write(dangling, "made");
    assertThat(folder.resolve("fresh")).hasContent("made");

    Path circle = Files.createSymbolicLink(folder.resolve("circle"), Path.of("circle"));
    assertThatIOException()
        .isThrownBy(() -> WholeFile.write(circle, "x"))
        .withMessageContaining("circle");
  }

  @Test
  void permissionsAreThoseOfTheOldFile() throws IOException {
    Path file = Files.writeString(folder.resolve("a.txt"), "old");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    WholeFile.write(file, "new");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r-----");
  }

  @Test
  void aFileWithoutAFolderAndAFolderAreRefusedInWords() {
    assertThatIOException()
        .isThrownBy(() -> WholeFile.write(folder.resolve("no/x"), "x"))
        .withMessage(folder.resolve("no/x") + " cannot be written: its folder does not exist");
    assertThatIOException()
        .isThrownBy(() -> WholeFile.write(folder, "x"))
        .withMessage(folder + " cannot be written: it is not a regular file");
    assertThatIOException().isThrownBy(() -> WholeFile.write(Path.of("/"), "x"));
  }

  @Test
  void longNamesHaveRoomForTheTemporaryOne() throws IOException {
    Path file = folder.resolve("x".repeat(250));
    WholeFile.write(file, "long");
    assertThat(file).hasContent("long");
  }
}
