package dev.rialto.mpi.watch;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.rialto.mpi.launch.JobFolder;
import dev.rialto.mpi.library.Errors;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The states of all ranks of a job, in memory that they share.
 *
 * <p>It works while the library does not: a rank that is stuck in it, is stopped or has gone is
 * still seen, and no thread calls the library only to look. The price is that all ranks must run on
 * one machine. The file of the memory is deleted once all ranks have mapped it, so none is left
 * however the job ends.
 */
@SuppressWarnings("EnumOrdinal") // All ranks run the same classes.
public final class RankBoard {
  /** The state of a rank. */
  enum State {
    RUNNING,
    WAITING,
    ENDED,
    FAILED
  }

  private static final class Functions {
    static final MethodHandle BROADCAST = Mpi.function("MPI_Bcast", "pihih");
    static final MethodHandle BARRIER = Mpi.function("MPI_Barrier", "h");
  }

  private static final VarHandle WORD = JAVA_LONG.varHandle();
  private static final int LONGEST_PATH = 1024;

  private static final long SLOT = 1 << 14;
  private static final long STATE = 0;
  private static final long STEPS = 8;
  private static final long BEATS = 16;
  private static final long BYTES = 24;
  private static final long CLOSING = 32;
  private static final long DERIVED = 40;
  private static final long FAILURES = 48;
  private static final long AWAITED = 56;
  private static final long WORDS = 64;
  private static final int MOST_WORDS = (int) SLOT - 128;

  /** The states of a verdict: not there, being written, for ranks that close, for all. */
  static final long NONE = 0;

  private static final long WRITING = 1;
  static final long FOR_CLOSING = 2;
  static final long FOR_ALL = 3;

  private final MemorySegment memory;
  private final int rank;
  private final int size;

  private RankBoard(MemorySegment memory, int rank, int size) {
    this.memory = memory;
    this.rank = rank;
    this.size = size;
  }

  /** Makes the board; all ranks of the job call this. Empty if the first cannot make a file. */
  public static Optional<RankBoard> share(int rank, int size) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(LONGEST_PATH);
      if (rank == 0) {
        name.setString(0, create((size + 1) * SLOT));
      }
      Errors.check(
          Native.call(
              Functions.BROADCAST, name.address(), LONGEST_PATH, Mpi.BYTE, 0, Mpi.COMM_WORLD),
          "sharing memory");
      String file = name.getString(0);
      Optional<RankBoard> board =
          file.isEmpty()
              ? Optional.empty()
              : map(Path.of(file)).map(memory -> new RankBoard(memory, rank, size));
      Errors.check(Native.call(Functions.BARRIER, Mpi.COMM_WORLD), "sharing memory");
      if (rank == 0 && !file.isEmpty()) {
        Files.deleteIfExists(Path.of(file));
      }
      return board;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String create(long bytes) {
    try {
      Optional<JobFolder> folder = JobFolder.ofThisRank();
      Path file =
          folder.isPresent()
              ? Files.createTempFile(folder.get().path(), "ranks", "")
              : Files.createTempFile("rialto-ranks", "");
      Files.write(file, new byte[(int) bytes]);
      return file.toString();
    } catch (IOException e) {
      System.err.println("rialto: ranks cannot watch each other: " + e);
      return "";
    }
  }

  private static Optional<MemorySegment> map(Path file) {
    try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
      return Optional.of(
          channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size(), Arena.global()));
    } catch (IOException e) {
      System.err.println("rialto: a rank cannot watch the others: " + e);
      return Optional.empty();
    }
  }

  int size() {
    return size;
  }

  State state(int of) {
    return State.values()[(int) get(of, STATE)];
  }

  long steps(int of) {
    return get(of, STEPS);
  }

  long beats(int of) {
    return get(of, BEATS);
  }

  long bytes(int of) {
    return get(of, BYTES);
  }

  /** Returns the rank that a rank waits for and for no other; -1 if that is not known. */
  int awaited(int of) {
    return state(of) == State.WAITING ? (int) get(of, AWAITED) : -1;
  }

  boolean closing(int of) {
    return get(of, CLOSING) != 0;
  }

  /** Returns whether a rank failed only because another had. */
  boolean derived(int of) {
    return get(of, DERIVED) != 0;
  }

  /** Returns what a rank waits for, or why it failed. */
  String words(int of) {
    MemorySegment slot = slot(of);
    byte[] text = new byte[slot.get(JAVA_INT, WORDS)];
    MemorySegment.copy(slot, JAVA_BYTE, WORDS + 4, text, 0, text.length);
    return new String(text, UTF_8);
  }

  /** Shows this rank's counters. */
  void show(long steps, long beats) {
    set(rank, STEPS, steps);
    set(rank, BEATS, beats);
  }

  /**
   * Shows what this rank waits for.
   *
   * @param bytes what it moves
   * @param awaited the rank that alone can end it; -1 if that is not known
   */
  void showWaiting(String words, long bytes, int awaited, boolean closing) {
    write(rank, words);
    set(rank, BYTES, bytes);
    set(rank, AWAITED, awaited);
    set(rank, CLOSING, closing ? 1 : 0);
    set(rank, STATE, State.WAITING.ordinal());
  }

  void show(State state) {
    set(rank, STATE, state.ordinal());
  }

  void showFailed(String words, boolean derived) {
    write(rank, words);
    set(rank, DERIVED, derived ? 1 : 0);
    set(rank, STATE, State.FAILED.ordinal());
    set(size, FAILURES, 1);
  }

  boolean anyFailed() {
    return get(size, FAILURES) != 0;
  }

  /** Returns for whom the ranks' standstill is a failure. */
  long verdict() {
    long verdict = get(size, STATE);
    return verdict == WRITING ? NONE : verdict;
  }

  String verdictWords() {
    return words(size);
  }

  /** Gives a verdict, unless another rank has. */
  void judge(long from, long to, String words) {
    if (WORD.compareAndSet(slot(size), STATE, from, WRITING)) {
      write(size, words);
      set(size, STATE, to);
    }
  }

  private void write(int of, String words) {
    byte[] text = words.getBytes(UTF_8);
    int length = Math.min(text.length, MOST_WORDS);
    MemorySegment slot = slot(of);
    MemorySegment.copy(text, 0, slot, JAVA_BYTE, WORDS + 4, length);
    slot.set(JAVA_INT, WORDS, length);
  }

  private MemorySegment slot(int of) {
    return memory.asSlice(of * SLOT, SLOT);
  }

  private long get(int of, long field) {
    return (long) WORD.getAcquire(slot(of), field);
  }

  private void set(int of, long field, long value) {
    WORD.setRelease(slot(of), field, value);
  }
}
