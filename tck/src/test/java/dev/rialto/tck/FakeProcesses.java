package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.PeerFailedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** The least whose ranks are processes: they meet by leaving files in a folder. */
public final class FakeProcesses implements BackendProvider, RankLauncher {
  private static final String SCRIPT =
      """
      size=$1; shift
      for ((rank = 0; rank < size; rank++)); do FAKE_RANK=$rank FAKE_SIZE=$size "$@" & done
      code=0
      for ((rank = 0; rank < size; rank++)); do wait -n || code=$?; done
      exit $code
      """;

  private final Path folder;

  /** Makes the backend in a rank. */
  public FakeProcesses() {
    this(Path.of(""));
  }

  public FakeProcesses(Path folder) {
    this.folder = folder;
  }

  @Override
  public String name() {
    return "fake-processes";
  }

  @Override
  public String description() {
    return "processes that meet";
  }

  @Override
  public Probe probe() {
    return new Probe.Available(List.of(), List.of());
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.COLLECTIVES);
  }

  @Override
  public Optional<RankLauncher> launcher() {
    return Optional.of(this);
  }

  @Override
  public boolean launched() {
    return System.getenv("FAKE_RANK") != null;
  }

  @Override
  public int rank() {
    return launched() ? Integer.parseInt(System.getenv("FAKE_RANK")) : 0;
  }

  @Override
  public Process launch(int ranks, List<String> command, Map<String, String> environment)
      throws IOException {
    if (ranks < 1) {
      throw new IllegalArgumentException(ranks + " ranks; give at least 1");
    }
    List<String> all =
        new ArrayList<>(List.of("bash", "-c", SCRIPT, "bash", Integer.toString(ranks)));
    all.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(all).inheritIO();
    builder.environment().putAll(environment);
    builder.environment().put("FAKE_FOLDER", Files.createTempDirectory(folder, "").toString());
    return builder.start();
  }

  @Override
  public World openWorld(int ranks) {
    return new JoinedWorld(rank(), Integer.parseInt(System.getenv("FAKE_SIZE")));
  }

  /** A rank's world and communicator in one. */
  private static final class JoinedWorld implements World, Communicator {
    private final Path folder = Path.of(System.getenv("FAKE_FOLDER"));
    private final int rank;
    private final int size;
    private int meetings;

    JoinedWorld(int rank, int size) {
      this.rank = rank;
      this.size = size;
      leave("pid-" + rank, Long.toString(ProcessHandle.current().pid()));
      barrier();
    }

    @Override
    public <T> List<T> call(RankFunction<T> function) {
      try {
        return List.of(function.run(this));
      } catch (Exception | Error e) {
        leave("failed-" + rank, "");
        throw new CommunicationException("a rank failed", "", "", e);
      }
    }

    @Override
    public void barrier() {
      leave(meetings + "-" + rank, "");
      for (int peer = 0; peer < size; peer++) {
        boolean alive = true;
        while (!Files.exists(folder.resolve(meetings + "-" + peer))) {
          if (!alive) {
            throw new PeerFailedException("rank " + peer + " has failed", "rank " + rank, "", null);
          }
          alive = isAlive(peer);
          LockSupport.parkNanos(500_000);
        }
      }
      meetings++;
    }

    private boolean isAlive(int peer) {
      try {
        Path file = folder.resolve("pid-" + peer);
        return !Files.exists(folder.resolve("failed-" + peer))
            && (!Files.exists(file)
                || ProcessHandle.of(Long.parseLong(Files.readString(file))).isPresent());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void leave(String name, String content) {
      try {
        Path part = folder.resolve(name + ".part");
        Files.writeString(part, content);
        Files.move(part, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public String name() {
      return "fake-processes/world";
    }

    @Override
    public int rank() {
      return rank;
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public Set<Capability> capabilities() {
      return Set.of(Capability.COLLECTIVES);
    }

    @Override
    public void abort(String reason) {
      Runtime.getRuntime().halt(1);
    }

    @Override
    public void close() {}
  }
}
