package dev.rialto.dist.site;

import dev.rialto.dist.Folders;
import dev.rialto.dist.Tree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The documentation as a site.
 *
 * <p>{@code docs/README.md} is its first page and its table of contents. A link that leads nowhere,
 * or a page that nothing leads to, fails the build. Files of the tree that a page links to become
 * pages too, so that the site is whole without the tree.
 */
public final class Site {
  private static final String DECISIONS = "decisions/index.html";

  private final Tree tree;
  private final Path folder;
  private final Places places;
  private final Frame frame;
  private final Markdown markdown;

  private Site(Tree tree, Path folder) throws IOException {
    this.tree = tree;
    this.folder = folder;
    this.places = new Places(tree.root());
    this.frame = new Frame(Contents.read(tree.root(), places));
    this.markdown = new Markdown(places);
  }

  /**
   * Makes the site.
   *
   * @param folder where; replaced if it exists
   * @param sources of which Java modules the API reference is made
   * @throws IllegalStateException if a link leads nowhere, or nothing leads to a page
   */
  public static void make(Tree tree, Path folder, List<Path> sources) throws IOException {
    Folders.delete(folder);
    Files.createDirectories(folder);
    Site site = new Site(tree, folder);
    site.pages();
    site.measurements();
    try (InputStream style = Site.class.getResourceAsStream("style.css")) {
      Files.copy(style, folder.resolve("style.css"));
    }
    ApiReference.make(sources, folder.resolve(Places.API));
    List<String> faults = Links.faults(folder);
    if (!faults.isEmpty()) {
      throw new IllegalStateException(String.join("\n", faults));
    }
  }

  /** Makes the pages that are documentation, and then whatever files they link to. */
  private void pages() throws IOException {
    Deque<Path> open = new ArrayDeque<>(documents());
    Set<Path> seen = new HashSet<>(open);
    for (Path file = open.poll(); file != null; file = open.poll()) {
      String name = places.of(file);
      Page page = file.toString().endsWith(".md") ? markdown.page(file) : Page.ofSource(file);
      if (name.equals(DECISIONS)) {
        page = page.with(decisions(file.resolveSibling(".").normalize()));
      }
      Folders.write(folder.resolve(name), frame.around(page, name));
      page.files().stream().filter(seen::add).forEach(open::add);
    }
  }

  /** Lists the decisions, which are too many and too alike to be listed by hand. */
  private String decisions(Path decisions) throws IOException {
    StringBuilder list = new StringBuilder("<ul>\n");
    for (Path file : Folders.files(decisions)) {
      String page = places.of(file);
      if (!page.equals(DECISIONS)) {
        list.append(
            "<li><a href=\"%s\">%s</a></li>%n"
                .formatted(
                    Places.relative(DECISIONS, page), Page.escape(markdown.page(file).title())));
      }
    }
    return list.append("</ul>\n").toString();
  }

  /** Returns all Markdown that is written for readers. */
  private List<Path> documents() throws IOException {
    return Folders.files(tree.root().resolve("docs")).stream()
        .filter(file -> file.toString().endsWith(".md"))
        .toList();
  }

  /** Makes a page of each record, and lists them below what people wrote about them. */
  private void measurements() throws IOException {
    StringBuilder list = new StringBuilder();
    Path folderOfRecords = tree.root().resolve(Places.RESULTS);
    for (Path file : Folders.files(folderOfRecords)) {
      if (file.toString().endsWith(".json")) {
        Measurement record = Measurement.read(file);
        String name = places.of(file);
        Folders.write(folder.resolve(name), frame.around(record.page(), name));
        list.append(record.row(name.substring(name.lastIndexOf('/') + 1)));
      }
    }
    Path about = folderOfRecords.resolve("README.md");
    Page page = markdown.page(about).with(Measurement.table(list.toString()));
    Folders.write(folder.resolve(places.of(about)), frame.around(page, places.of(about)));
  }
}
