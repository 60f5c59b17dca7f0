package dev.rialto.array;

import dev.rialto.spi.Capability;
import dev.rialto.spi.exec.Cancellation;
import java.util.Set;

/**
 * An algorithm with its arrays, ready to run.
 *
 * @param <R> the result
 */
final class Operation<R> {
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
              subject instanceof Array array
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

  /** Returns the arrays and what else ranks must agree on. */
  Object[] subjects() {
    return subjects;
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
  Set<Capability> needs() {
    return needs;
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
