package dev.rialto.dist.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * The content of a page, inside its frame.
 *
 * @param title its title, as text
 * @param body its content, as HTML
 * @param files of the tree that it links to
 */
record Page(String title, String body, Set<Path> files) {

  /** A page that shows a file of the tree. */
  static Page ofSource(Path file) throws IOException {
    String name = file.getFileName().toString();
    String text = escape(Files.readString(file));
    return new Page(
        name,
        "<h1>" + escape(name) + "</h1>\n<pre tabindex=\"0\"><code>" + text + "</code></pre>\n",
        Set.of());
  }

  /** Returns this page with more at its end. */
  Page with(String html) {
    return new Page(title, body + html, files);
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
