package dev.rialto.mpi;

import dev.rialto.mpi.launch.MpiLauncher;
import dev.rialto.mpi.library.LibraryChoice;
import dev.rialto.mpi.world.Job;
import dev.rialto.mpi.world.MpiWorld;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.World;
import dev.rialto.spi.error.BackendException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The backend {@code mpi}: ranks are processes that the installed MPI library links. */
public final class MpiBackend implements BackendProvider {
  /** The capabilities of communicators at best. */
  private static final Set<Capability> CAPABILITIES =
      Collections.unmodifiableSet(
          EnumSet.complementOf(
              EnumSet.of(
                  Capability.MEMORY,
                  Capability.TRANSFER,
                  Capability.EXECUTOR,
                  Capability.STREAMS,
                  Capability.KERNELS,
                  Capability.FFT,
                  Capability.HEAP_BUFFERS,
                  Capability.INTACT_TRUNCATION,
                  Capability.HALF_REDUCTIONS)));

  /** Makes a provider; nothing is loaded before it is asked for. */
  public MpiBackend() {}

  @Override
  public String name() {
    return "mpi";
  }

  @Override
  public String description() {
    return "ranks as processes, linked by the MPI library that is installed";
  }

  @Override
  public Probe probe() {
    LibraryChoice choice = LibraryChoice.made();
    return choice
        .library()
        .<Probe>map(
            found ->
                new Probe.Available(
                    List.of(),
                    List.of(
                        new Probe.Library(found.library().family(), found.number(), found.path()))))
        .orElseGet(
            () ->
                new Probe.Unavailable(
                    choice.reason(),
                    "install Open MPI or MPICH (apt install openmpi-bin or mpich, brew install open-mpi),"
                        + " or set "
                        + LibraryChoice.VARIABLE
                        + " to the path of a library"));
  }

  @Override
  public Set<Capability> capabilities() {
    return LibraryChoice.made().library().isPresent() ? Job.known() : Set.of();
  }

  /**
   * Returns what communicators can do.
   *
   * @param threads whether the library allows several threads
   * @param checked whether ranks agree on each collective
   * @param typed whether messages tell their types
   * @param watched whether ranks see each other's states
   */
  public static Set<Capability> ofCommunicators(
      boolean threads, boolean checked, boolean typed, boolean watched) {
    Set<Capability> set = EnumSet.copyOf(CAPABILITIES);
    if (!threads) {
      set.remove(Capability.MULTI_THREADED);
    }
    if (!checked) {
      set.remove(Capability.MISMATCH_DETECTION);
    }
    if (!typed) {
      set.remove(Capability.MESSAGE_TYPES);
    }
    if (!watched) {
      set.remove(Capability.DEADLOCK_DETECTION);
      set.remove(Capability.FAILURE_NOTICE);
    }
    return Collections.unmodifiableSet(set);
  }

  @Override
  public World openWorld(int ranks) {
    if (ranks < 0) {
      throw new IllegalArgumentException(
          "a world of " + ranks + " ranks; give at least 1, or 0 for those that were launched");
    }
    if (probe() instanceof Probe.Unavailable(String reason, String remedy)) {
      throw new BackendException(reason, "", remedy, null);
    }
    Job job = Job.join();
    if (ranks != 0 && ranks != job.size()) {
      throw new IllegalArgumentException(
          ("a world of %s ranks was asked for, but %s were launched; start the program with "
                  + "'mpirun -n %s'")
              .formatted(ranks, job.size(), ranks));
    }
    return new MpiWorld(job);
  }

  @Override
  public Optional<RankLauncher> launcher() {
    return Optional.of(new MpiLauncher());
  }
}
