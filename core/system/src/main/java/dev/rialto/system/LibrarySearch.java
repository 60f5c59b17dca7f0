package dev.rialto.system;

import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The search for libraries that are installed, on any system.
 *
 * <p>A library is looked for where its environment variables say, then in the folders of the
 * variable of the system's loader, then by the loader itself, and last in the folders where package
 * managers put it and the loader does not look. A file that cannot be loaded, as one for another
 * processor, is passed over.
 *
 * <p>Paths are text and folders are listed by a function, so that tests search file systems of
 * other operating systems.
 */
public final class LibrarySearch {
  private static final Pattern VARIABLE = Pattern.compile("%(\\w+)%");
  private static final Pattern NUMBER = Pattern.compile("\\d+");

  /** Orders names that differ in their numbers, as 13 is after 9. */
  private static final Comparator<String> HIGHEST_FIRST =
      (a, b) -> Arrays.compare(numbers(b), numbers(a));

  private final OperatingSystem system;
  private final String architecture;
  private final Function<String, @Nullable String> environment;
  private final Function<String, List<String>> files;

  /**
   * Makes a search.
   *
   * @param system whose names and folders are used
   * @param architecture as the JVM calls it in {@code os.arch}
   * @param environment returns the value of a variable; null if it is not set
   * @param files returns the names of the files in a folder; none if there is no such folder
   */
  LibrarySearch(
      OperatingSystem system,
      String architecture,
      Function<String, @Nullable String> environment,
      Function<String, List<String>> files) {
    this.system = system;
    this.architecture = architecture;
    this.environment = environment;
    this.files = files;
  }

  /** Returns the search of this machine. */
  public static LibrarySearch here() {
    return new LibrarySearch(
        OperatingSystem.current(),
        System.getProperty("os.arch", ""),
        System::getenv,
        folder -> {
          String[] names = new File(folder).list();
          return names == null ? List.of() : List.of(names);
        });
  }

  /** Loads a library from the first place that has one. */
  public static Optional<OpenLibrary> open(InstalledLibrary library) {
    return here().places(library).stream().flatMap(place -> load(place).stream()).findFirst();
  }

  @SuppressWarnings("restricted") // Loading native libraries is what this class is for.
  private static Optional<OpenLibrary> load(String place) {
    try {
      return Optional.of(new OpenLibrary(place, SymbolLookup.libraryLookup(place, Arena.global())));
    } catch (IllegalArgumentException e) {
      // Not there, or for another processor: the next place may have it.
      return Optional.empty();
    }
  }

  /** Returns the usual file name of a library on this system; its name in words if it has none. */
  public String name(InstalledLibrary library) {
    List<String> names = library.on(system).names();
    return names.isEmpty() ? library.name() + " for " + system : names.getFirst();
  }

  /**
   * Returns where a library may be, in the order in which to try: paths of files that exist, and
   * names without a folder, which only the system's loader can find.
   */
  public List<String> places(InstalledLibrary library) {
    InstalledLibrary.Files known = library.on(system);
    Set<String> places = new LinkedHashSet<>();
    for (String variable : library.variables()) {
      String value = variable(variable);
      if (!value.isEmpty()) {
        file(value).ifPresent(places::add);
        for (String below : InstalledLibrary.below(system)) {
          places.addAll(in(value + below, known.names()));
        }
      }
    }
    String searched = variable(system.loaderVariable());
    Arrays.stream(searched.split(Pattern.quote(system.listSeparator()), -1))
        .filter(folder -> !folder.isEmpty())
        .forEach(folder -> places.addAll(in(folder, known.names())));
    known.names().stream().filter(name -> !name.contains("*")).forEach(places::add);
    Stream.concat(known.folders().stream(), InstalledLibrary.commonFolders(system).stream())
        .flatMap(folder -> expanded(folder).stream())
        .forEach(folder -> places.addAll(in(folder, known.names())));
    return List.copyOf(places);
  }

  /** Returns whether a file of a library is in one of the folders that are looked into. */
  public boolean finds(InstalledLibrary library) {
    return places(library).stream().anyMatch(place -> place.contains(system.separator()));
  }

  private String variable(String name) {
    String value = environment.apply(name);
    return value == null ? "" : value;
  }

  private Optional<String> file(String path) {
    int end = path.lastIndexOf(system.separator());
    return end > 0
            && files.apply(path.substring(0, end)).contains(path.substring(end + 1))
            && files.apply(path).isEmpty()
        ? Optional.of(path)
        : Optional.empty();
  }

  /** Returns the files in a folder that have one of the names, in the order of the names. */
  private List<String> in(String folder, List<String> names) {
    List<String> there = files.apply(folder);
    List<String> found = new ArrayList<>();
    for (String name : names) {
      Pattern pattern =
          Pattern.compile(
              Arrays.stream(name.split("\\*", -1))
                  .map(Pattern::quote)
                  .reduce((a, b) -> a + "[0-9][0-9.]*" + b)
                  .orElseThrow());
      there.stream()
          .filter(file -> pattern.matcher(file).matches())
          .sorted(HIGHEST_FIRST)
          .forEach(found::add);
    }
    return found.stream().map(file -> folder + system.separator() + file).toList();
  }

  private static BigInteger[] numbers(String name) {
    return NUMBER
        .matcher(name)
        .results()
        .map(MatchResult::group)
        .map(BigInteger::new)
        .toArray(BigInteger[]::new);
  }

  /** Returns a folder of the table on this machine, unless it is below a variable that is unset. */
  private Optional<String> expanded(String folder) {
    Matcher variable = VARIABLE.matcher(folder);
    if (variable.lookingAt()) {
      return Optional.of(variable(variable.group(1)))
          .filter(value -> !value.isEmpty())
          .map(value -> value + folder.substring(variable.end()));
    }
    return Optional.of(folder.replace("$ARCH", debianArchitecture()));
  }

  private String debianArchitecture() {
    String processor =
        switch (architecture) {
          case "amd64" -> "x86_64";
          case "ppc64le" -> "powerpc64le";
          default -> architecture;
        };
    return processor + "-linux-gnu";
  }
}
