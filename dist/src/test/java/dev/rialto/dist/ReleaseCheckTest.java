package dev.rialto.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A release that a public repository would refuse is refused here first, with the reason. */
class ReleaseCheckTest {
  private static final String BASE = "dev/rialto/thing/1/thing-1";

  private static final String POM =
      """
      <project>
        <version>1</version>
        <name>Thing</name>
        <description>A thing.</description>
        <url>https://example.org</url>
        <licenses/>
        <developers/>
        <scm/>
      </project>
      """;

  @TempDir private Path folder;

  @Test
  void thisTreeHasOneVersion() throws IOException {
    assertThat(ReleaseCheck.tree(Path.of(".."), Optional.empty())).isEmpty();
  }

  @Test
  void aTagNamesTheVersionAndEndsWhatIsToCome() throws IOException {
    Folders.write(folder.resolve("pom.xml"), POM);
    Folders.write(folder.resolve("CHANGELOG.md"), "## Next\n\n- new\n\n## 1\n");
    Folders.write(folder.resolve("CITATION.cff"), "version: 1\n");
    Folders.write(
        folder.resolve("README.md"), "<artifactId>rialto</artifactId><version>1</version>");
    assertThat(ReleaseCheck.tree(folder, Optional.empty())).isEmpty();
    assertThat(ReleaseCheck.tree(folder, Optional.of("v2")))
        .containsExactly(
            "the tag is v2, the poms have version 1",
            "CHANGELOG.md has changes under 'Next', but the commit is tagged v2");
    Folders.write(folder.resolve("CHANGELOG.md"), "## 1\n");
    assertThat(ReleaseCheck.tree(folder, Optional.of("v1"))).isEmpty();
  }

  @Test
  void everyPublishedPomHasWhatCentralAsksFor() throws IOException {
    Path repository = folder.resolve("mine");
    BuiltArtifacts.install(new Tree(Path.of("..")), repository);
    assertThat(ReleaseCheck.repository(repository)).noneMatch(problem -> problem.contains("<"));
  }

  @Test
  void aCompleteArtifactPasses() throws IOException {
    complete();
    assertThat(ReleaseCheck.repository(folder)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {".jar", "-sources.jar", "-javadoc.jar", ".jar.asc", ".pom.asc", ".jar.sha1"})
  void aMissingFileIsNamed(String missing) throws IOException {
    complete();
    Files.delete(folder.resolve(BASE + missing));
    assertThat(ReleaseCheck.repository(folder)).anyMatch(problem -> problem.contains("thing-1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"name", "description", "url", "licenses", "developers", "scm"})
  void aMissingElementIsNamed(String element) throws IOException {
    complete();
    Folders.write(folder.resolve(BASE + ".pom"), POM.replace(element, "other"));
    assertThat(ReleaseCheck.repository(folder)).contains("thing-1.pom has no <" + element + ">");
  }

  @Test
  void aWrongChecksumIsNoticed() throws IOException {
    complete();
    Folders.write(folder.resolve(BASE + ".jar.md5"), "0");
    assertThat(ReleaseCheck.repository(folder))
        .containsExactly("thing-1.jar.md5 has no checksum, or a wrong one");
  }

  @Test
  void anEmptyRepositoryIsNoRelease() throws IOException {
    assertThat(ReleaseCheck.repository(folder)).hasSize(1);
  }

  private void complete() throws IOException {
    for (String kind : List.of(".pom", ".jar", "-sources.jar", "-javadoc.jar")) {
      Path file = folder.resolve(BASE + kind);
      Folders.write(file, kind.equals(".pom") ? POM : kind);
      Folders.write(Path.of(file + ".asc"), "signature");
      Folders.write(Path.of(file + ".md5"), Checksums.of(file, "MD5"));
      Folders.write(Path.of(file + ".sha1"), Checksums.of(file, "SHA-1"));
    }
  }
}
