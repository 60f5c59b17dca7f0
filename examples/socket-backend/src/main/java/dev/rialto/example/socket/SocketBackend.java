package dev.rialto.example.socket;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.World;
import dev.rialto.spi.fft.FftEngine;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The backend's front door: what it is, whether it works here, what it can do. */
public final class SocketBackend implements BackendProvider {
  /**
   * The capabilities of its communicators. The methods of all else stay the SPI's, which refuse.
   */
  static final Set<Capability> COMMUNICATION =
      Set.of(
          Capability.POINT_TO_POINT,
          Capability.NON_BLOCKING,
          Capability.PERSISTENT,
          Capability.PROBE,
          Capability.MATCHED_PROBE,
          Capability.CANCEL,
          Capability.LAYOUTS,
          Capability.HEAP_BUFFERS,
          Capability.LARGE_COUNTS,
          Capability.MULTI_THREADED,
          Capability.INTACT_TRUNCATION,
          Capability.COLLECTIVES,
          Capability.NON_BLOCKING_COLLECTIVES,
          Capability.PERSISTENT_COLLECTIVES,
          Capability.REDUCTIONS,
          Capability.USER_OPERATORS,
          Capability.HALF_REDUCTIONS,
          Capability.FAILURE_NOTICE,
          Capability.NEIGHBORHOODS,
          Capability.NON_BLOCKING_NEIGHBORHOODS,
          Capability.PERSISTENT_NEIGHBORHOODS,
          Capability.WINDOWS,
          Capability.DYNAMIC_WINDOWS,
          Capability.SPLIT);

  private @Nullable Probe probed;

  @Override
  public String name() {
    return "socket";
  }

  @Override
  public String description() {
    return "ranks are processes linked by TCP over loopback; an example to copy from";
  }

  @Override
  public synchronized Probe probe() {
    if (probed == null) {
      try (ServerSocket server = Loopback.listen(1)) {
        probed = new Probe.Available(List.of(server.getInetAddress().toString()), List.of());
      } catch (IOException e) {
        probed =
            new Probe.Unavailable(
                "cannot listen on the loopback address: " + e.getMessage(),
                "bring the interface up (ip link set lo up) and allow TCP on it");
      }
    }
    return probed;
  }

  @Override
  public Set<Capability> capabilities() {
    if (probe() instanceof Probe.Unavailable) {
      return Set.of();
    }
    Set<Capability> all = EnumSet.copyOf(COMMUNICATION);
    all.add(Capability.FFT);
    return all;
  }

  @Override
  public World openWorld(int ranks) {
    Ticket ticket = Ticket.ofThisProcess().orElse(Ticket.ALONE);
    if (ranks < 0 || (ranks > 0 && ranks != ticket.size())) {
      throw new IllegalArgumentException(
          ("a world of %s ranks, but this process is one of %s; give 0 to take what there "
                  + "is, and start others with the launcher")
              .formatted(ranks, ticket.size()));
    }
    return SocketWorld.join(ticket);
  }

  @Override
  public Optional<RankLauncher> launcher() {
    return Optional.of(new SocketLauncher());
  }

  @Override
  public FftEngine fftEngine() {
    return new DirectFft();
  }
}
