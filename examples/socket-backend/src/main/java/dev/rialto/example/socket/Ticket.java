package dev.rialto.example.socket;

import java.util.Optional;

/**
 * The place of a launched process in its job, handed over in its environment.
 *
 * @param rank the process's rank
 * @param size how many ranks there are
 * @param port where the {@link Rendezvous} listens
 * @param key a secret of the job's processes, by which they notice strangers on their ports
 * @param launcher the process that launched this one and that it must not outlive
 */
record Ticket(int rank, int size, int port, long key, long launcher) {
  /** The ticket of a process that was not launched: it is the only rank. */
  static final Ticket ALONE = new Ticket(0, 1, 0, 0, 0);

  /** The environment variable that holds it. */
  static final String VARIABLE = "RIALTO_SOCKET_TICKET";

  static Optional<Ticket> ofThisProcess() {
    return Optional.ofNullable(System.getenv(VARIABLE)).map(Ticket::parse);
  }

  private static Ticket parse(String text) {
    String[] part = text.split("/", -1);
    return new Ticket(
        Integer.parseInt(part[0]),
        Integer.parseInt(part[1]),
        Integer.parseInt(part[2]),
        Long.parseLong(part[3]),
        Long.parseLong(part[4]));
  }

  String text() {
    return rank + "/" + size + "/" + port + "/" + key + "/" + launcher;
  }
}
