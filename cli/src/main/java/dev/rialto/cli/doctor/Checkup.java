package dev.rialto.cli.doctor;

import dev.rialto.jit.run.JitBackend;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import dev.rialto.text.Machine;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The checks of {@code rialto doctor}, in the order in which they are shown. A check of something
 * that the system does not have, such as a file of Linux on another system, finds nothing.
 */
public final class Checkup {
  private static final long LITTLE_SHARED_MEMORY = 256L << 20;
  private static final long FEW_FILES = 1024;
  private static final long FEW_PROCESSES = 4096;
  private static final List<String> FAST_CLOCKS =
      List.of("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page");

  /** The answer of what needs nothing of the machine, such as code for the JVM. */
  private static final Probe EVERYWHERE = new Probe.Available(List.of(), List.of());

  private final Observed machine;
  private final List<Finding> findings = new ArrayList<>();

  private Checkup(Observed machine) {
    this.machine = machine;
  }

  /** Looks at everything. */
  public static List<Finding> of(Observed machine) {
    Checkup checkup = new Checkup(machine);
    checkup.java();
    Backends.all().forEach(backend -> checkup.probe(backend.name(), backend.probe()));
    JitBackend.targets().values().stream()
        .filter(target -> !target.probe().equals(EVERYWHERE) && !isBackend(target.name()))
        .forEach(target -> checkup.probe("target " + target.name(), target.probe()));
    checkup.zfp();
    checkup.findings.addAll(LauncherChecks.of(machine, mpiLibrary()));
    checkup.system();
    return checkup.findings;
  }

  private static boolean isBackend(String name) {
    return Backends.all().stream().anyMatch(backend -> backend.name().equals(name));
  }

  /** Returns the name of the MPI library that this process uses; empty if there is none. */
  private static String mpiLibrary() {
    return Backends.all().stream()
        .filter(backend -> backend.name().equals("mpi"))
        .flatMap(backend -> libraries(backend.probe()).stream())
        .map(Probe.Library::name)
        .findFirst()
        .orElse("");
  }

  private static List<Probe.Library> libraries(Probe probe) {
    return probe instanceof Probe.Available(_, List<Probe.Library> libraries)
        ? libraries
        : List.of();
  }

  /** Looks at the operating system only: no backend is loaded. */
  static List<Finding> ofSystem(Observed machine) {
    Checkup checkup = new Checkup(machine);
    checkup.findings.addAll(LauncherChecks.of(machine, ""));
    checkup.system();
    return checkup.findings;
  }

  private void system() {
    binding();
    numa();
    hugePages();
    clock();
    governor();
    sharedMemory();
    limits();
    cache();
  }

  private void java() {
    boolean vectors = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    String version = System.getProperty("java.vendor") + " " + Runtime.version();
    findings.add(
        vectors
            ? Finding.good("Java", version + ", with the Vector API")
            : Finding.slow(
                "Java",
                version + ", without the Vector API",
                "start the JVM with --add-modules jdk.incubator.vector"));
  }

  private void probe(String subject, Probe probe) {
    findings.add(
        switch (probe) {
          case Probe.Available(List<String> devices, List<Probe.Library> libraries) ->
              Finding.good(
                  subject,
                  Stream.concat(
                          devices.stream(),
                          libraries.stream()
                              .map(l -> "%s %s (%s)".formatted(l.name(), l.version(), l.path())))
                      .collect(Collectors.joining("; ")));
          case Probe.Unavailable(String reason, String remedy) ->
              Finding.missing(subject, reason, remedy);
        });
  }

  private void zfp() {
    findings.add(
        LibrarySearch.open(InstalledLibrary.ZFP)
            .map(library -> Finding.good("codec zfp", library.path()))
            .orElseGet(
                () ->
                    Finding.missing(
                        "codec zfp",
                        LibrarySearch.here().name(InstalledLibrary.ZFP) + " not found",
                        "install it (apt install libzfp1, brew install zfp), or set RIALTO_ZFP to"
                            + " its folder")));
  }

  private void binding() {
    Optional<String> allowed = line("/proc/self/status", "Cpus_allowed_list:\\s*(\\S+)");
    Optional<String> online = machine.text("/sys/devices/system/cpu/online");
    if (allowed.isPresent() && online.isPresent()) {
      findings.add(
          allowed.equals(online)
              ? Finding.good("binding", "all processors, " + online.get())
              : Finding.slow(
                  "binding",
                  "this process may use processors %s of %s".formatted(allowed.get(), online.get()),
                  "that is right for a rank that is bound; else look at taskset, cgroups or the"
                      + " launcher's --bind-to"));
    }
  }

  private void numa() {
    int nodes = machine.count("/sys/devices/system/node", "node[0-9]*");
    if (nodes > 1) {
      findings.add(
          Finding.slow(
              "NUMA",
              nodes + " memory nodes",
              "run at least one rank per node and bind it: RIALTO_MPI_OPTIONS=\"--bind-to numa\""));
    } else if (nodes == 1) {
      findings.add(Finding.good("NUMA", "one memory node"));
    }
  }

  private void hugePages() {
    Optional<String> mode = line("/sys/kernel/mm/transparent_hugepage/enabled", "\\[(\\w+)\\]");
    if (mode.isPresent()) {
      findings.add(
          mode.get().equals("never")
              ? Finding.slow(
                  "huge pages",
                  "never",
                  "large transposes walk page tables: echo madvise"
                      + " >/sys/kernel/mm/transparent_hugepage/enabled")
              : Finding.good("huge pages", mode.get()));
    }
  }

  private void clock() {
    Optional<String> source =
        machine.text("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (source.isPresent()) {
      findings.add(
          FAST_CLOCKS.contains(source.get())
              ? Finding.good("clock", source.get())
              : Finding.slow(
                  "clock",
                  source.get() + " needs a system call for each reading",
                  "boot with clocksource=tsc if the machine allows it; timings of microseconds are"
                      + " not to be trusted"));
    }
  }

  private void governor() {
    Optional<String> governor =
        machine.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    if (governor.isPresent()) {
      findings.add(
          governor.get().equals("powersave")
              ? Finding.slow(
                  "frequency",
                  "powersave",
                  "for measurements: cpupower frequency-set -g performance")
              : Finding.good("frequency", governor.get()));
    }
  }

  private void sharedMemory() {
    Path folder = machine.root().resolve("dev/shm");
    if (!Files.isDirectory(folder)) {
      return;
    }
    try {
      FileStore store = Files.getFileStore(folder);
      String space = Machine.bytes(store.getUsableSpace());
      findings.add(
          store.getUsableSpace() < LITTLE_SHARED_MEMORY
              ? Finding.wrong(
                  "/dev/shm",
                  "only " + space + " free; ranks that are processes share memory there",
                  "remove what lies there, or give a container more: --shm-size=2g")
              : Finding.good("/dev/shm", space + " free"));
    } catch (IOException e) {
      findings.add(Finding.wrong("/dev/shm", "cannot be looked at: " + e.getMessage(), ""));
    }
  }

  private void limits() {
    limit("open files", "Max open files", FEW_FILES, "many ranks need more: ulimit -n 65536");
    limit("processes", "Max processes", FEW_PROCESSES, "many ranks need more: ulimit -u unlimited");
    limit(
        "addresses",
        "Max address space",
        Long.MAX_VALUE,
        "a JVM reserves more than it uses: ulimit -v unlimited");
    if (machine.count("/sys/class/infiniband", "*") > 0) {
      limit(
          "locked memory",
          "Max locked memory",
          Long.MAX_VALUE,
          "InfiniBand sends from memory that is locked: ulimit -l unlimited");
    }
  }

  private void limit(String subject, String name, long few, String remedy) {
    Optional<String> soft = line("/proc/self/limits", name + "\\s+(\\S+)");
    if (soft.isPresent()) {
      boolean enough = soft.get().equals("unlimited") || Long.parseLong(soft.get()) >= few;
      findings.add(
          enough
              ? Finding.good(subject, "up to " + soft.get())
              : Finding.slow(subject, "at most " + soft.get(), remedy));
    }
  }

  private void cache() {
    if (machine.cache().isEmpty()) {
      findings.add(
          Finding.slow(
              "cache",
              "none: tuning and compiled code are forgotten",
              "name a folder with -Drialto.cache=DIR, or set HOME"));
      return;
    }
    Path folder = machine.cache().get();
    Path there = folder;
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    findings.add(
        there != null && Files.isDirectory(there) && Files.isWritable(there)
            ? Finding.good("cache", folder.toString())
            : Finding.slow(
                "cache",
                folder + " cannot be written: tuning and compiled code are forgotten",
                "make it writable, or set XDG_CACHE_HOME to a folder of your own"));
  }

  /** Returns what the first group of a pattern matches in a file. */
  private Optional<String> line(String file, String pattern) {
    return machine
        .text(file)
        .map(text -> Pattern.compile(pattern).matcher(text))
        .filter(Matcher::find)
        .map(found -> found.group(1).toLowerCase(Locale.ROOT));
  }
}
