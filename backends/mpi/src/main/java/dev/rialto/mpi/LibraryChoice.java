package dev.rialto.mpi;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
final class LibraryChoice {
  static final String VARIABLE = "RIALTO_MPI";
  static final String PROPERTY = "rialto.mpi";

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
  static LibraryChoice made() {
    return Holder.MADE;
  }

  /** Returns the chosen library; empty if there is none to be had. */
  Optional<LoadedLibrary> library() {
    return chosen;
  }

  /** Returns why this library, or why none. */
  String reason() {
    return reason;
  }

  /** Returns what the user asks for; empty for nothing. */
  static String asked() {
    String property = System.getProperty(PROPERTY, "");
    return property.isEmpty() ? System.getenv().getOrDefault(VARIABLE, "") : property;
  }

  static LibraryChoice make(String asked, Optional<Launched> launched) {
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
        MpiLibrary.ALL.stream().filter(LibraryChoice::isThere).map(MpiLibrary::name).toList();
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

  private static LibraryChoice asked(String asked) {
    Optional<MpiLibrary> library = named(asked);
    if (library.isPresent()) {
      return new LibraryChoice(
          find(library.get()),
          VARIABLE
              + " asks for "
              + asked
              + ", looked for as "
              + String.join(", ", library.get().files()));
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
    return library.files().stream()
        .flatMap(file -> LoadedLibrary.load(library, file).stream())
        .findFirst();
  }

  /** Returns whether a library seems to be there; loading two into one process would mix them. */
  private static boolean isThere(MpiLibrary library) {
    String folders =
        System.getenv().getOrDefault("LD_LIBRARY_PATH", "")
            + ":/usr/local/lib:/usr/lib64:/usr/lib:/usr/lib/x86_64-linux-gnu"
            + ":/usr/lib/aarch64-linux-gnu:/opt/homebrew/lib";
    return library.files().stream()
        .anyMatch(
            file ->
                Arrays.stream(folders.split(":", -1))
                    .anyMatch(folder -> Files.exists(Path.of(folder).resolve(file))));
  }

  private static Optional<MpiLibrary> named(String name) {
    return MpiLibrary.ALL.stream().filter(library -> library.name().equals(name)).findFirst();
  }

  private static String searched() {
    List<String> files = new ArrayList<>();
    MpiLibrary.ALL.forEach(library -> files.addAll(library.files()));
    return files.stream().filter(f -> !f.contains("/")).collect(Collectors.joining(", "));
  }
}
