package dev.rialto.example.socket;

import dev.rialto.spi.RankLauncher;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Starts ranks as child processes, each with a {@link Ticket} in its environment. */
final class SocketLauncher implements RankLauncher {
  /** In the environment: the seconds that ranks wait for the last one to join. */
  static final String TIMEOUT = "RIALTO_SOCKET_TIMEOUT";

  @Override
  public boolean launched() {
    return Ticket.ofThisProcess().isPresent();
  }

  @Override
  public int rank() {
    return Ticket.ofThisProcess().orElse(Ticket.ALONE).rank();
  }

  @Override
  public Process launch(int ranks, List<String> command, Map<String, String> environment)
      throws IOException {
    if (ranks < 1) {
      throw new IllegalArgumentException("cannot launch " + ranks + " ranks; give at least 1");
    }
    Map<String, String> variables = new HashMap<>(System.getenv());
    variables.putAll(environment);
    Duration patience = Duration.ofSeconds(Long.parseLong(variables.getOrDefault(TIMEOUT, "60")));
    long key = new SecureRandom().nextLong();
    Rendezvous rendezvous = new Rendezvous(ranks, key, patience);
    List<Process> started = new ArrayList<>();
    try {
      for (int rank = 0; rank < ranks; rank++) {
        Ticket ticket =
            new Ticket(rank, ranks, rendezvous.port(), key, ProcessHandle.current().pid());
        variables.put(Ticket.VARIABLE, ticket.text());
        started.add(start(command, variables));
      }
    } catch (IOException e) {
      started.forEach(Process::destroyForcibly);
      rendezvous.close();
      throw e;
    }
    return new SocketJob(started, rendezvous);
  }

  private static Process start(List<String> command, Map<String, String> variables)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectOutput(Redirect.INHERIT).redirectError(Redirect.INHERIT);
    builder.environment().putAll(variables);
    Process process = builder.start();
    process.getOutputStream().close();
    return process;
  }
}
