package dev.rialto.array;

import dev.rialto.spi.Capability;
import dev.rialto.spi.exec.Cancellation;
import java.util.Set;

/**
 * An algorithm with its arrays, ready to {@link #run} or to {@link #start}. Nothing happens before.
 *
 * <p>Collective: all ranks make the same operations and begin them in the same order, unless {@link
 * #needs} is empty. If a function given by the user throws on one rank, that rank gets its
 * exception, the others {@link dev.rialto.spi.error.PeerFailedException}, and the arrays that were
 * to be written hold anything; the team can be used on. If ranks begin different operations, or the
 * same with other operators or arrays, all get a {@link dev.rialto.spi.error.MismatchException}
 * that names both sides, and the team can only be closed.
 *
 * @param <R> the result
 */
public final class Operation<R> {
  private final Team team;
  private final String name;
  private final Set<Capability> needs;
  private final Run.Body<R> body;

  /** The arrays and what else ranks must agree on, such as an operator. */
  private final Object[] subjects;

  private Operation(
      Team team, String name, Set<Capability> needs, Run.Body<R> body, Object... subjects) {
    this.team = team;
    this.name = name;
    this.needs = needs;
    this.body = body;
    this.subjects = subjects;
  }

  /** Returns this operation with its arrays and what else ranks must agree on. */
  Operation<R> about(Object... known) {
    return new Operation<>(team, name, needs, body, known);
  }

  /** Returns a number that is the same on all ranks that do the same. */
  long signature() {
    long hash = Run.hash(name);
    for (Object subject : subjects) {
      hash =
          Run.mix(
              hash,
              subject instanceof DistributedArray array
                  ? array.signature()
                  : Run.hash(String.valueOf(subject)));
    }
    return hash;
  }

  /** Returns what it does, with which arrays. */
  String describe() {
    StringBuilder text = new StringBuilder(name);
    String separator = " of ";
    for (Object subject : subjects) {
      text.append(separator).append(subject);
      separator = ", ";
    }
    return text.toString();
  }

  /** Marks the arrays as used by this operation, or as no longer used. */
  void claim(boolean begins) {
    for (Object subject : subjects) {
      if (subject instanceof DistributedArray array) {
        array.pending(begins ? name : null);
      }
    }
  }

  /** Makes an operation of loops alone. */
  static <R> Operation<R> local(Team team, String name, Run.Body<R> body) {
    return new Operation<>(team, name, Set.of(), body);
  }

  /** Makes an operation in which ranks exchange words or blocks. */
  static <R> Operation<R> collective(Team team, String name, Run.Body<R> body) {
    return new Operation<>(team, name, Set.of(Capability.COLLECTIVES), body);
  }

  /** Returns what the team's communicator must be able to do. */
  public Set<Capability> needs() {
    return needs;
  }

  /**
   * Does it, on the calling thread and those of the team's executor, after operations that were
   * started before.
   *
   * @throws UnsupportedOperationException if the communicator lacks what this {@link #needs}
   */
  public R run() {
    return team.run(this, team.never());
  }

  /**
   * Does it until it is done or cancelled. A cancellation by one rank stops all of them.
   *
   * @throws java.util.concurrent.CancellationException if it was cancelled, on all ranks
   */
  public R run(Cancellation cancellation) {
    return team.run(this, cancellation);
  }

  /**
   * Begins it and returns at once. It runs on a thread of the team, after those that were started
   * before. Its arrays must be left alone until {@link Started#await}.
   */
  public Started<R> start() {
    return team.start(this);
  }

  Run.Body<R> body() {
    return body;
  }

  R execute(Run run, Cancellation cancellation, Ferry ferry) {
    OperationEvent event = new OperationEvent();
    event.begin();
    try {
      R result = run.run(this, cancellation, ferry);
      event.completed = true;
      return result;
    } finally {
      event.end();
      if (event.shouldCommit()) {
        event.operation = name;
        event.rank = run.rank();
        event.communicated = run.communicatedNanos();
        event.commit();
      }
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
