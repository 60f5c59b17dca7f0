package dev.rialto.cli.doctor;

import dev.rialto.system.InstalledLibrary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Checks of which MPI library each launcher starts ranks for. A launcher of one family and a
 * library of the other is the commonest failure of all: every rank believes to be alone.
 */
final class LauncherChecks {
  private static final Pattern VERSION =
      Pattern.compile("(?:Open MPI\\)|Version:?|slurm)\\s+(\\d[\\w.]*)");

  /** A family of MPI libraries, whose launchers start no ranks of the others. */
  private enum Family {
    OPEN_MPI("Open MPI", "openmpi", InstalledLibrary.OPEN_MPI, "Open MPI|PRRTE|OpenRTE"),
    MPICH("MPICH", "mpich", InstalledLibrary.MPICH, "HYDRA|MPICH|Intel\\(R\\) MPI");

    private final String title;
    private final String word;
    private final InstalledLibrary library;
    private final Pattern said;

    Family(String title, String word, InstalledLibrary library, String said) {
      this.title = title;
      this.word = word;
      this.library = library;
      this.said = Pattern.compile(said);
    }

    static Optional<Family> of(String said) {
      return Arrays.stream(values()).filter(family -> family.said.matcher(said).find()).findFirst();
    }
  }

  private final Observed machine;
  private final String loaded;
  private final String chosen;
  private final Set<Family> libraries = EnumSet.noneOf(Family.class);
  private final List<Finding> findings = new ArrayList<>();

  private LauncherChecks(Observed machine, String loaded) {
    this.machine = machine;
    this.loaded = loaded;
    this.chosen = machine.environment().getOrDefault("RIALTO_MPI", "");
    for (Family family : Family.values()) {
      if (loaded.equals(family.title) || machine.installed().test(family.library)) {
        libraries.add(family);
      }
    }
  }

  /**
   * Looks at all launchers.
   *
   * @param loaded the name of the MPI library that this process uses; empty if it has none
   */
  static List<Finding> of(Observed machine, String loaded) {
    LauncherChecks checks = new LauncherChecks(machine, loaded);
    checks.mpirun();
    checks.srun();
    return checks.findings;
  }

  private void mpirun() {
    Optional<String> mpirun = version("mpirun");
    Optional<String> mpiexec = version("mpiexec");
    mpirun.ifPresent(said -> findings.add(launcher("mpirun", said)));
    // Most often the same program; of two families both are told.
    mpiexec
        .filter(said -> mpirun.map(Family::of).filter(Family.of(said)::equals).isEmpty())
        .ifPresent(said -> findings.add(launcher("mpiexec", said)));
    if (findings.isEmpty() && !loaded.isEmpty()) {
      findings.add(
          Finding.missing(
              "mpirun",
              "not found, though the library of " + loaded + " is",
              "install its launcher (apt install openmpi-bin or mpich), or load the cluster's"
                  + " module"));
    }
  }

  private Finding launcher(String program, String said) {
    String path = machine.path(program);
    Optional<Family> known = Family.of(said);
    if (known.isEmpty()) {
      return Finding.missing(
          program,
          path + " is of no MPI that Rialto knows: " + said.lines().findFirst().orElse(""),
          "set RIALTO_MPI to the path of the library that it belongs to");
    }
    Family family = known.get();
    String starts = "%s starts ranks of %s%s".formatted(path, family.title, number(said));
    if (Arrays.stream(Family.values()).anyMatch(f -> f != family && f.word.equals(chosen))) {
      return Finding.wrong(
          program,
          starts + ", but RIALTO_MPI chooses " + chosen,
          "start ranks by 'rialto ... --comm mpi --mpi %s', or unset RIALTO_MPI".formatted(chosen));
    }
    if (!chosen.isEmpty() && !chosen.equals(family.word)) {
      return Finding.good(program, starts + "; RIALTO_MPI chooses " + chosen);
    }
    return libraries.contains(family)
        ? Finding.good(program, starts + ", whose library is found")
        : Finding.wrong(
            program,
            starts + ", whose library is not found" + otherLibraries(),
            "install it, start ranks by the launcher of a library that is, or set RIALTO_MPI to the"
                + " library's path");
  }

  private String otherLibraries() {
    return libraries.stream().map(f -> ", unlike that of " + f.title).collect(Collectors.joining());
  }

  /** Slurm's launcher fits every library, so it cannot say which one is meant. */
  private void srun() {
    version("srun")
        .ifPresent(
            said ->
                findings.add(
                    libraries.size() > 1 && chosen.isEmpty()
                        ? Finding.wrong(
                            "srun",
                            "Slurm%s does not say which of the MPI libraries is meant"
                                .formatted(number(said)),
                            "set RIALTO_MPI to openmpi or mpich")
                        : Finding.good("srun", "Slurm" + number(said))));
  }

  private Optional<String> version(String program) {
    return machine.programs().output(List.of(program, "--version"));
  }

  private static String number(String said) {
    Matcher found = VERSION.matcher(said);
    return found.find() ? " " + found.group(1) : "";
  }
}
