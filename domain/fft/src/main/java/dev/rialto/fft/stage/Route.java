package dev.rialto.fft.stage;

import dev.rialto.exchange.ExchangeReport;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * One direction of a plan: its stages, and in which memory the array is between them.
 *
 * <p>Going back from the output, a stage that can works in place, and any other alternates between
 * the output and auxiliary memory. So the input is left alone, and no stage needs memory that the
 * caller did not give or the plan did not report. An input that other processes are to read, and
 * cannot, is copied to auxiliary memory first.
 */
public final class Route {
  private static final int IN = 0;
  private static final int OUT = 1;
  private static final int AUX = 2;

  private final List<Stage> stages;
  private final int[] places;
  private final boolean copies;

  /**
   * The place to which an input is copied that other processes cannot reach; 0 if they do not read
   * it.
   */
  private final int staging;

  private final MemorySegment[] memory = new MemorySegment[4];
  private MemorySegment workspace = MemorySegment.NULL;
  private final Copy copy;
  private int next;

  /** Copies bytes from one memory to another. */
  @FunctionalInterface
  public interface Copy {
    void copy(MemorySegment from, MemorySegment to, long bytes);
  }

  /**
   * Lays a route.
   *
   * @param aliased whether input and output are the same memory
   */
  public Route(List<Stage> stages, boolean aliased, Copy copy) {
    this.stages = stages;
    this.copy = copy;
    int count = stages.size();
    this.places = new int[count + 1];
    long outBytes = count == 0 ? 0 : stages.getLast().outBytes();
    places[0] = IN;
    if (count > 0) {
      places[count] = OUT;
    }
    for (int i = count - 1; i > 0; i--) {
      Stage reader = stages.get(i);
      int after = places[i + 1];
      boolean fits = reader.inBytes() <= outBytes && !reader.isReadByPeers();
      places[i] =
          reader.inPlace() ? after : after != OUT && fits ? OUT : after == AUX ? AUX + 1 : AUX;
    }
    // In place, the first stage must not write over what it has yet to read.
    boolean collides = aliased && count > 0 && places[1] == OUT && !stages.getFirst().inPlace();
    this.copies = collides && count == 1;
    if (collides) {
      places[1] = count > 1 && places[2] == AUX ? AUX + 1 : AUX;
    }
    boolean read = count > 0 && stages.getFirst().isReadByPeers();
    this.staging = !read ? 0 : places[1] == AUX ? AUX + 1 : AUX;
  }

  /** Returns the bytes of one of the two auxiliary memories. */
  public long auxBytes(int which) {
    long bytes = staging == AUX + which ? stages.getFirst().inBytes() : 0;
    for (int i = 1; i < places.length; i++) {
      if (places[i] == AUX + which) {
        bytes = Math.max(bytes, stages.get(i - 1).outBytes());
      }
    }
    return bytes;
  }

  public void aux(MemorySegment first, MemorySegment second, MemorySegment work) {
    memory[AUX] = first;
    memory[AUX + 1] = second;
    workspace = work;
  }

  /** Returns what the exchanges sent in the last run. */
  public List<ExchangeReport> reports() {
    return stages.stream()
        .filter(Stage.Move.class::isInstance)
        .map(stage -> ((Stage.Move) stage).exchange().report())
        .toList();
  }

  /** Runs stages until the first that others take part in has begun. */
  public void start(MemorySegment in, MemorySegment out) {
    boolean staged = staging > 0 && !stages.getFirst().reaches(in);
    if (staged) {
      copy.copy(in, memory[staging], stages.getFirst().inBytes());
    }
    memory[IN] = staged ? memory[staging] : in;
    memory[OUT] = out;
    next = 0;
    advance();
  }

  /** Starts stages as long as they are local; the one that is not stays begun. */
  private boolean advance() {
    while (next < stages.size()) {
      Stage stage = stages.get(next);
      stage.start(memory[places[next]], memory[places[next + 1]], workspace);
      if (stage.isCollective()) {
        return false;
      }
      next++;
    }
    return true;
  }

  /** Runs the rest. */
  public void await() {
    while (next < stages.size()) {
      stages.get(next++).await();
      if (advance()) {
        break;
      }
    }
    if (copies) {
      copy.copy(memory[AUX], memory[OUT], stages.getLast().outBytes());
    }
  }
}
