package dev.rialto.array;

import dev.rialto.spi.Capability;
import dev.rialto.spi.exec.Cancellation;
import java.util.Set;

/**
 * An algorithm with its arrays, ready to run.
 *
 * @param <R> the result
 */
final class ArrayOperation<R> {
  private final Team team;
  private final String name;
  private final Set<Capability> needs;
  private final OperationRunner.Body<R> body;

  /** The arrays and what else ranks must agree on, such as an operator. */
  private final Object[] subjects;

  private ArrayOperation(
      Team team,
      String name,
      Set<Capability> needs,
      OperationRunner.Body<R> body,
      Object... subjects) {
    this.team = team;
    this.name = name;
    this.needs = needs;
    this.body = body;
    this.subjects = subjects;
  }

  /** Returns this operation with its arrays and what else ranks must agree on. */
  ArrayOperation<R> about(Object... known) {
    return new ArrayOperation<>(team, name, needs, body, known);
  }

  /** Returns a number that is the same on all ranks that do the same. */
  long signature() {
    long hash = OperationRunner.hash(name);
    for (Object subject : subjects) {
      hash =
          OperationRunner.mix(
              hash,
              subject instanceof Array array
                  ? array.signature()
                  : OperationRunner.hash(String.valueOf(subject)));
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
  static <R> ArrayOperation<R> local(Team team, String name, OperationRunner.Body<R> body) {
    return new ArrayOperation<>(team, name, Set.of(), body);
  }

  /** Makes an operation in which ranks exchange words or blocks. */
  static <R> ArrayOperation<R> collective(Team team, String name, OperationRunner.Body<R> body) {
    return new ArrayOperation<>(team, name, Set.of(Capability.COLLECTIVES), body);
  }

  /** Returns what the team's communicator must be able to do. */
  Set<Capability> needs() {
    return needs;
  }

  OperationRunner.Body<R> body() {
    return body;
  }

  R execute(OperationRunner run, Cancellation cancellation, CommunicationThread ferry) {
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
