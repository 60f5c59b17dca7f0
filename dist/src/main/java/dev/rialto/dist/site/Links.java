package dev.rialto.dist.site;

import dev.rialto.dist.Folders;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds links between pages that lead nowhere, and pages that no link leads to. */
final class Links {
  private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^\"]*)\"");

  private Links() {}

  /**
   * Returns what is wrong, a line each. Addresses elsewhere are not asked, and neither are the
   * links inside the API reference, which the javadoc tool vouches for.
   */
  static List<String> faults(Path site) throws IOException {
    List<String> faults = new ArrayList<>();
    Set<Path> reached = new HashSet<>(Set.of(site.resolve("index.html")));
    List<Path> pages =
        Folders.files(site).stream()
            .filter(file -> file.toString().endsWith(".html"))
            .filter(file -> !file.startsWith(site.resolve(Places.API)))
            .toList();
    for (Path page : pages) {
      for (MatchResult found : LINK.matcher(Files.readString(page)).results().toList()) {
        URI link = URI.create(found.group(1));
        if (link.isAbsolute()) {
          continue;
        }
        Path target =
            link.getPath().isEmpty() ? page : page.resolveSibling(link.getPath()).normalize();
        if (!leads(target, link.getFragment())) {
          faults.add(site.relativize(page) + " links to " + link + ", which is not there");
        }
        if (!target.equals(page)) {
          reached.add(target);
        }
      }
    }
    pages.stream()
        .filter(page -> !reached.contains(page))
        .forEach(page -> faults.add("no page links to " + site.relativize(page)));
    return faults;
  }

  private static boolean leads(Path target, @Nullable String fragment) throws IOException {
    return Files.isRegularFile(target)
        && (fragment == null || Files.readString(target).contains("id=\"" + fragment + "\""));
  }
}
