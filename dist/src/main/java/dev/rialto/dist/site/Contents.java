package dev.rialto.dist.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The table of contents, read from {@code docs/README.md}: a section for each second heading, an
 * entry for each item of a list that begins with a link.
 *
 * @param sections in their order
 */
record Contents(List<Section> sections) {
  private static final Pattern HEADING = Pattern.compile("## (.+)");
  private static final Pattern ENTRY = Pattern.compile("- \\[(.+?)]\\((.+?)\\).*");

  /** Pages that belong together. */
  record Section(String title, List<Entry> entries) {}

  /** A page and where it is on the site. */
  record Entry(String title, String page) {}

  static Contents read(Path root, Places places) throws IOException {
    Path file = root.resolve("docs/README.md");
    List<Section> sections = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        sections.add(new Section(heading.group(1), new ArrayList<>()));
      }
      Matcher entry = ENTRY.matcher(line);
      if (entry.matches() && !sections.isEmpty()) {
        Path target = places.target(file, entry.group(2));
        String page = target == null ? entry.group(2) : places.of(target);
        sections.getLast().entries().add(new Entry(entry.group(1), page));
      }
    }
    // Not a file of the tree, so the list cannot link to it.
    sections.getLast().entries().add(new Entry("API", Places.API + "/index.html"));
    return new Contents(sections);
  }
}
