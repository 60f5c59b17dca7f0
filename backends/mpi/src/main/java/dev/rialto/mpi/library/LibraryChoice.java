package dev.rialto.mpi.library;

import dev.rialto.mpi.launch.Launched;
import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import dev.rialto.system.OperatingSystem;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which MPI library this process uses.
 *
 * <p>What the user asks for comes first: {@code RIALTO_MPI}, or the property {@code rialto.mpi},
 * names a kind or the path of a library. Then the library that belongs to the launcher that started
 * this process, and then the first that is found.
 */
public final class LibraryChoice {
  public static final String VARIABLE = "RIALTO_MPI";
  public static final String PROPERTY = "rialto.mpi";

  private static final LibrarySearch SEARCH = LibrarySearch.here();

  private final Optional<LoadedLibrary> chosen;
  private final String reason;

  private LibraryChoice(Optional<LoadedLibrary> chosen, String reason) {
    this.chosen = chosen;
    this.reason = reason;
  }

  private static final class Holder {
    static final LibraryChoice MADE = make(asked(), Launched.from(System.getenv()));
  }

  /** Returns the choice of this process, made at first use. */
  public static LibraryChoice made() {
    return Holder.MADE;
  }

  /** Returns the chosen library; empty if there is none to be had. */
  public Optional<LoadedLibrary> library() {
    return chosen;
  }

  /** Returns why this library, or why none. */
  public String reason() {
    return reason;
  }

  /** Returns what the user asks for; empty for nothing. */
  public static String asked() {
    String property = System.getProperty(PROPERTY, "");
    return property.isEmpty() ? System.getenv().getOrDefault(VARIABLE, "") : property;
  }

  static LibraryChoice make(String asked, Optional<Launched> launched) {
    if (OperatingSystem.current() == OperatingSystem.WINDOWS) {
      return refused(SEARCH);
    }
    if (!asked.isEmpty()) {
      return asked(asked);
    }
    List<String> preferred = launched.map(Launched::libraries).orElse(List.of());
    for (String name : preferred) {
      Optional<LoadedLibrary> found = find(named(name).orElseThrow());
      if (found.isPresent()) {
        return new LibraryChoice(found, "the launcher's");
      }
    }
    if (!preferred.isEmpty()) {
      return new LibraryChoice(
          Optional.empty(),
          "this process was started by a launcher of "
              + String.join(" or ", preferred)
              + ", whose library was not found");
    }
    List<String> several =
        MpiLibrary.ALL.stream()
            // Loading two into one process would mix them.
            .filter(library -> SEARCH.finds(library.installed()))
            .map(MpiLibrary::name)
            .toList();
    if (launched.isPresent() && several.size() > 1) {
      return new LibraryChoice(
          Optional.empty(),
          "this process was started by a launcher that does not say which MPI library it belongs"
              + " to, and there are several ("
              + String.join(", ", several)
              + "); set "
              + VARIABLE
              + " to the one that the job is to use");
    }
    for (MpiLibrary library : MpiLibrary.ALL) {
      Optional<LoadedLibrary> found = find(library);
      if (found.isPresent()) {
        return new LibraryChoice(found, "the first found");
      }
    }
    return new LibraryChoice(Optional.empty(), "no MPI library found: " + searched());
  }

  /**
   * Says why there is no MPI on Windows. Handles of MS-MPI are those of MPICH, but it has neither
   * neighbourhood collectives nor counts beyond 2^31, and no shell to watch its ranks by.
   */
  static LibraryChoice refused(LibrarySearch search) {
    return new LibraryChoice(
        Optional.empty(),
        (search.finds(InstalledLibrary.MS_MPI)
                ? "MS-MPI is installed, but lacks MPI 3's collectives among neighbours; "
                : "")
            + "ranks are processes on Linux and macOS only; on Windows use ranks that are threads"
            + " (--comm local), or WSL");
  }

  private static LibraryChoice asked(String asked) {
    Optional<MpiLibrary> library = named(asked);
    if (library.isPresent()) {
      return new LibraryChoice(
          find(library.get()),
          VARIABLE
              + " asks for "
              + asked
              + ", looked for as "
              + SEARCH.name(library.get().installed()));
    }
    if (!asked.contains("/")) {
      return new LibraryChoice(
          Optional.empty(),
          VARIABLE + " is '" + asked + "'; give openmpi, mpich, abi or the path of a library");
    }
    Optional<LoadedLibrary> found =
        MpiLibrary.ALL.stream()
            .flatMap(kind -> LoadedLibrary.load(kind, asked).stream())
            .findFirst();
    return new LibraryChoice(
        found,
        VARIABLE
            + " asks for "
            + asked
            + (found.isPresent() ? "" : ", which is no MPI library that Rialto knows"));
  }

  private static Optional<LoadedLibrary> find(MpiLibrary library) {
    return SEARCH.places(library.installed()).stream()
        .flatMap(file -> LoadedLibrary.load(library, file).stream())
        .findFirst();
  }

  private static Optional<MpiLibrary> named(String name) {
    return MpiLibrary.ALL.stream().filter(library -> library.name().equals(name)).findFirst();
  }

  private static String searched() {
    return MpiLibrary.ALL.stream()
        .map(library -> SEARCH.name(library.installed()))
        .collect(Collectors.joining(", "));
  }
}
