package dev.rialto.array.run;

import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Signature;
import dev.rialto.spi.Capability;
import dev.rialto.spi.exec.Cancellation;
import java.util.Set;

/**
 * An algorithm with its arrays, ready to run.
 *
 * @param <R> the result
 */
public final class ArrayOperation<R> {
  private final String name;
  private final Set<Capability> needs;
  private final OperationRunner.Body<R> body;

  /** The arrays and what else ranks must agree on, such as an operator. */
  private final Object[] subjects;

  private ArrayOperation(
      String name, Set<Capability> needs, OperationRunner.Body<R> body, Object... subjects) {
    this.name = name;
    this.needs = needs;
    this.body = body;
    this.subjects = subjects;
  }

  /** Returns this operation with its arrays and what else ranks must agree on. */
  public ArrayOperation<R> about(Object... known) {
    return new ArrayOperation<>(name, needs, body, known);
  }

  /** Returns an operation that fails where this would run, so that other ranks are told. */
  ArrayOperation<R> failing(RuntimeException failure) {
    return new ArrayOperation<>(
        name,
        needs,
        _ -> {
          throw failure;
        },
        subjects);
  }

  /** Returns a number that is the same on all ranks that do the same. */
  long signature() {
    long hash = Signature.of(name);
    for (Object subject : subjects) {
      hash =
          Signature.mix(
              hash,
              subject instanceof Operand array
                  ? array.signature()
                  : Signature.of(String.valueOf(subject)));
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
  public static <R> ArrayOperation<R> local(String name, OperationRunner.Body<R> body) {
    return new ArrayOperation<>(name, Set.of(), body);
  }

  /** Makes an operation in which ranks exchange words or blocks. */
  public static <R> ArrayOperation<R> collective(String name, OperationRunner.Body<R> body) {
    return new ArrayOperation<>(name, Set.of(Capability.COLLECTIVES), body);
  }

  /** Returns what the team's communicator must be able to do. */
  Set<Capability> needs() {
    return needs;
  }

  OperationRunner.Body<R> body() {
    return body;
  }

  R execute(OperationRunner run, Cancellation cancellation, CommunicationThread thread) {
    ArrayOperationEvent event = new ArrayOperationEvent();
    event.begin();
    try {
      R result = run.run(this, cancellation, thread);
      event.completed = true;
      return result;
    } finally {
      event.end();
      if (event.shouldCommit()) {
        event.operation = name;
        event.rank = run.rank();
        event.communicated = run.agreement().communicatedNanos();
        event.commit();
      }
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
