package dev.rialto.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rialto.dist.site.Site;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The site is made from this very tree; its API reference, to be quick, from one module. */
class SiteTest {
  private static final Tree TREE = new Tree(Path.of(".."));
  private static final List<Path> ONE_MODULE =
      List.of(TREE.root().resolve("core/text/src/main/java"));

  @TempDir private static Path folder;
  private static Path site;

  @BeforeAll
  static void makeWithoutADeadLink() throws IOException {
    site = folder.resolve("site");
    Site.make(TREE, site, ONE_MODULE);
  }

  @Test
  void everyGuideIsAPageWithNavigation() throws IOException {
    for (String page : List.of("index", "concepts", "halo-stencils", "write-a-target", "fft")) {
      assertThat(Files.readString(site.resolve(page + ".html")))
          .contains("<nav ", "<main ", "<h1", "lang=\"en\"", "name=\"viewport\"")
          .doesNotContain(".md\"");
    }
  }

  @Test
  void drawingsArePartOfThePageAndDescribed() throws IOException {
    assertThat(Files.readString(site.resolve("concepts.html")))
        .contains("<svg role=\"img\" aria-label=\"Layers from the command line")
        .doesNotContain("<img");
  }

  @Test
  void measurementsHaveRatioGoalAndVerdict() throws IOException {
    List<Path> records =
        Folders.files(site.resolve("measurements")).stream()
            .filter(file -> !file.endsWith("index.html"))
            .toList();
    assertThat(records).isNotEmpty();
    for (Path record : records) {
      assertThat(Files.readString(record)).contains(">ratio<", ">goal<", "goals met", "<code>");
    }
    assertThat(Files.readString(site.resolve("measurements/index.html")))
        .contains("<a href=\"" + records.getFirst().getFileName() + "\">");
  }

  @Test
  void filesOfTheTreeThatPagesLinkToArePagesToo() {
    assertThat(site.resolve("examples/Vortices.java.html")).isNotEmptyFile();
    assertThat(site.resolve("CONTRIBUTING.html")).isNotEmptyFile();
    assertThat(site.resolve("decisions/002-one-communicator-interface.html")).isNotEmptyFile();
    assertThat(site.resolve("api/index.html")).isNotEmptyFile();
  }

  @Test
  void nothingComesFromTheNetwork() throws IOException {
    for (Path page : Folders.files(site)) {
      if (!page.startsWith(site.resolve("api")) && page.toString().endsWith(".html")) {
        assertThat(Files.readString(page))
            .doesNotContainPattern("<(script|link|img|iframe)[^>]*(src|href)=\"(https?:)?//");
      }
    }
  }

  @Test
  void aDeadLinkAndAnOrphanFailTheBuild() throws IOException {
    Path copy = folder.resolve("tree");
    for (String name : List.of("docs/README.md", "bench/results/README.md")) {
      Folders.write(copy.resolve(name), "# A page\n\n## Section\n\n- [B](b.md)\n");
    }
    Folders.write(copy.resolve("docs/b.md"), "# B\n\n[there](nowhere.md) [here](README.md#none)\n");
    Folders.write(copy.resolve("docs/c.md"), "# C\n");
    assertThatIllegalStateException()
        .isThrownBy(() -> Site.make(new Tree(copy), folder.resolve("broken"), ONE_MODULE))
        .withMessageContaining("b.html links to nowhere.md, which is not there")
        .withMessageContaining("b.html links to index.html#none, which is not there")
        .withMessageContaining("no page links to c.html");
  }
}
