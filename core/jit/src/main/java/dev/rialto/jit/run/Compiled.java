package dev.rialto.jit.run;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.lower.Lowered;
import dev.rialto.runtime.Work;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget.Unit;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A compiled program, to be linked into contexts as often as wanted. If compilation was postponed,
 * the first link does it. Thread-safe.
 */
public final class Compiled implements AutoCloseable {
  private final JitBackend backend;
  private final Program program;
  private final Lowered lowered;
  private final Unit unit;
  private final int first;
  private final @Nullable Compiled owner;
  private @Nullable Code code;

  /** The last run on each device: those of one device end in order. */
  private final Map<VirtualDevice, Work> pending = new ConcurrentHashMap<>();

  private volatile boolean closed;

  /**
   * Holds the place of a program in a unit.
   *
   * @param first the number of its first procedure there
   * @param owner who holds the unit's code; null if this does
   */
  Compiled(
      JitBackend backend,
      Program program,
      Lowered lowered,
      Unit unit,
      int first,
      @Nullable Compiled owner) {
    this.backend = backend;
    this.program = program;
    this.lowered = lowered;
    this.unit = unit;
    this.first = first;
    this.owner = owner;
  }

  /** Returns the name. */
  public String name() {
    return lowered.name();
  }

  /** Returns the program. */
  public Program program() {
    return program;
  }

  /** Returns what it was lowered to, with all stages. */
  public Lowered lowered() {
    return lowered;
  }

  /** Returns the source in the target's language; empty if that is the loops. */
  public String source() {
    return unit.source();
  }

  JitBackend backend() {
    return backend;
  }

  int first() {
    return first;
  }

  /** Returns the nodes that the program computes for itself alone. */
  Set<Node> keeps() {
    Set<Node> kept = program.assigned();
    kept.removeAll(lowered.context());
    return kept;
  }

  synchronized Code code() {
    if (owner != null) {
      return owner.code();
    }
    requireOpen();
    Code ready = code;
    if (ready == null) {
      ready = backend.build(unit);
      code = ready;
    }
    return ready;
  }

  /** Checks that the code is there, or can be made. */
  void requireOpen() {
    if (closed || (owner != null && owner.closed)) {
      throw new IllegalStateException(
          "program %s is closed%s; compile it again"
              .formatted(
                  name(),
                  closed
                      ? ""
                      : " with " + requireNonNull(owner).name() + ", which holds its code"));
    }
  }

  void queued(VirtualDevice device, Work routine) {
    if (pending.put(device, routine) == null) {
      // A new device: those that are done need not be kept for it.
      pending.values().removeIf(other -> other != routine && !other.isPending());
    }
    if (owner != null) {
      owner.queued(device, routine);
    }
  }

  /**
   * Gives the code back; routines linked from it do not run again. Closing again does nothing.
   *
   * @throws IllegalStateException if a routine of it runs; then it stays open
   */
  @Override
  public synchronized void close() {
    pending.forEach(
        (device, last) -> {
          if (last.isPending()) {
            throw new IllegalStateException(
                "program %s cannot be closed while routine %s runs; await device %s first"
                    .formatted(name(), last.name(), device));
          }
        });
    closed = true;
    if (code != null) {
      code.close();
      code = null;
    }
  }
}
