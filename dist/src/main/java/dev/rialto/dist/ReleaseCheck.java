package dev.rialto.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Checks of a release before it is published, where mistakes cannot be taken back.
 *
 * <p>Of the tree: one version in poms, change log, citation, documentation and, if the commit has
 * one, its tag; a tagged version has no changes that wait for the next one. Of the repository that
 * {@code mvn -Prelease deploy} writes: what Maven Central refuses a release for.
 */
public final class ReleaseCheck {
  /** Unreleased changes stand above the versions, as {@code Next}, until a version is tagged. */
  private static final Pattern CHANGE = Pattern.compile("(?m)^## (?!Next$)(\\S+)");

  private static final Pattern NEXT = Pattern.compile("(?m)^## Next$");
  private static final Pattern CITED = Pattern.compile("(?m)^version: \"?([^\"\\s]+)");
  private static final Pattern USED =
      Pattern.compile("<artifactId>rialto</artifactId><version>(.*?)</version>");

  /** Elements without which Maven Central takes no artifact. */
  private static final List<String> DEMANDED =
      List.of("name", "description", "url", "licenses", "developers", "scm");

  private final List<String> problems = new ArrayList<>();

  private ReleaseCheck() {}

  /**
   * Prints what is wrong and ends with exit code 1 if something is.
   *
   * @param args {@code tree}, its root and, if there is one, the tag of the commit; or {@code
   *     repository} and its folder
   */
  public static void main(String[] args) throws IOException {
    Path path = Path.of(args[1]);
    List<String> problems =
        args[0].equals("tree")
            ? tree(path, Optional.ofNullable(args.length > 2 ? args[2] : null))
            : repository(path);
    problems.forEach(System.err::println);
    if (!problems.isEmpty()) {
      System.exit(1);
    }
  }

  /**
   * Returns where the tree disagrees about its version.
   *
   * @param tag the tag that releases it, if it has one already
   */
  static List<String> tree(Path root, Optional<String> tag) throws IOException {
    ReleaseCheck check = new ReleaseCheck();
    String version = text(pom(root.resolve("pom.xml")), "version").orElse("");
    for (Path module : new Tree(root).modules()) {
      Element pom = pom(module.resolve("pom.xml"));
      Optional<String> own = text(pom, "version");
      String used = own.or(() -> child(pom, "parent").flatMap(p -> text(p, "version"))).orElse("");
      check.demand(
          used.equals(version),
          "%s/pom.xml has version %s, the root has %s"
              .formatted(root.toAbsolutePath().normalize().relativize(module), used, version));
    }
    check.version(root.resolve("CHANGELOG.md"), CHANGE, version);
    check.version(root.resolve("CITATION.cff"), CITED, version);
    check.version(root.resolve("README.md"), USED, version);
    if (tag.isPresent()) {
      check.demand(
          tag.get().equals("v" + version),
          "the tag is %s, the poms have version %s".formatted(tag.get(), version));
      check.demand(
          !NEXT.matcher(Files.readString(root.resolve("CHANGELOG.md"))).find(),
          "CHANGELOG.md has changes under 'Next', but the commit is tagged " + tag.get());
    }
    return check.problems;
  }

  /** Returns what is missing in a repository of artifacts. */
  static List<String> repository(Path repository) throws IOException {
    ReleaseCheck check = new ReleaseCheck();
    List<Path> files = Folders.files(repository);
    List<Path> poms = files.stream().filter(file -> file.toString().endsWith(".pom")).toList();
    check.demand(!poms.isEmpty(), repository + " holds no artifact");
    for (Path file : poms) {
      check.artifact(file);
    }
    for (Path file : files) {
      String name = file.getFileName().toString();
      if (!name.matches(".*\\.(md5|sha1|sha256|sha512|asc)|maven-metadata\\.xml")) {
        check.demand(Files.exists(Path.of(file + ".asc")), name + " is not signed");
        check.checksum(file, "md5", "MD5");
        check.checksum(file, "sha1", "SHA-1");
      }
    }
    return check.problems;
  }

  private void artifact(Path file) throws IOException {
    Element pom = pom(file);
    String name = file.getFileName().toString();
    Optional<Element> parent = child(pom, "parent");
    Element inherited = parent.isPresent() ? parentPom(file, parent.get()) : null;
    for (String wanted : DEMANDED) {
      // Names and descriptions are each artifact's own.
      boolean own = wanted.equals("name") || wanted.equals("description");
      demand(
          child(pom, wanted).isPresent()
              || (!own && inherited != null && child(inherited, wanted).isPresent()),
          name + " has no <" + wanted + ">");
    }
    demand(!Files.readString(file).contains("-SNAPSHOT"), name + " names a snapshot");
    if (text(pom, "packaging").orElse("jar").equals("jar")) {
      String base = file.toString().replaceFirst("\\.pom$", "");
      for (String kind : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
        demand(Files.exists(Path.of(base + kind)), name + " has no " + kind);
      }
    }
  }

  private @Nullable Element parentPom(Path file, Element parent) throws IOException {
    String artifact = text(parent, "artifactId").orElse("");
    String version = text(parent, "version").orElse("");
    Path place =
        file.resolveSibling("../../%s/%s/%s-%s.pom".formatted(artifact, version, artifact, version))
            .normalize();
    demand(Files.exists(place), file + " has a parent that is not there: " + place);
    return Files.exists(place) ? pom(place) : null;
  }

  private void checksum(Path file, String extension, String algorithm) throws IOException {
    Path sum = Path.of(file + "." + extension);
    demand(
        Files.exists(sum) && Files.readString(sum).strip().equals(Checksums.of(file, algorithm)),
        sum.getFileName() + " has no checksum, or a wrong one");
  }

  /** Compares the first version that a file names with that of the tree. */
  private void version(Path file, Pattern pattern, String version) throws IOException {
    Matcher found = pattern.matcher(Files.readString(file));
    String named = found.find() ? found.group(1) : "none";
    demand(
        named.equals(version),
        "%s names version %s first, the poms %s".formatted(file.getFileName(), named, version));
  }

  private void demand(boolean holds, String problem) {
    if (!holds) {
      problems.add(problem);
    }
  }

  private static Element pom(Path file) throws IOException {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(file.toFile())
          .getDocumentElement();
    } catch (SAXException | ParserConfigurationException e) {
      throw new IOException(file + " is no pom: " + e.getMessage(), e);
    }
  }

  private static Optional<String> text(Element parent, String name) {
    return child(parent, name).map(Element::getTextContent).map(String::strip);
  }

  private static Optional<Element> child(Element parent, String name) {
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element && element.getTagName().equals(name)) {
        return Optional.of(element);
      }
    }
    return Optional.empty();
  }
}
