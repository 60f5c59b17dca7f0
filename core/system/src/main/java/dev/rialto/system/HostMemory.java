package dev.rialto.system;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The checks of host memory that a caller hands to Rialto, and a way to keep it alive meanwhile.
 *
 * <p>Loops of Rialto work on addresses. Before such a loop starts, its memory is checked with the
 * {@code require} methods; so that another thread cannot free it afterwards, the loop runs inside
 * {@link #holding}. The same mistake gets the same exception everywhere: {@link
 * IndexOutOfBoundsException} for memory that is too small, {@link IllegalStateException} for memory
 * that is freed, {@link WrongThreadException} for memory of another thread, {@link
 * IllegalArgumentException} for memory that cannot be used in this role.
 */
public final class HostMemory {
  private static final MemorySegment CALLBACK = callback();

  /** Calls its last argument once with its first two, which the call keeps alive. */
  private static final MethodHandle BSEARCH = bsearch();

  /** The classes that the JDK has for the scopes of arenas without a method {@code close}. */
  private static final Class<?> AUTOMATIC = Arena.ofAuto().scope().getClass();

  private static final Class<?> GLOBAL = Arena.global().scope().getClass();

  private static final ThreadLocal<@Nullable Runnable> WORK = new ThreadLocal<>();
  private static final ThreadLocal<@Nullable Throwable> FAILURE = new ThreadLocal<>();

  private HostMemory() {}

  /**
   * Checks that the calling thread can read {@code bytes} bytes.
   *
   * @param role what the memory is for, such as {@code input}; starts the message
   */
  public static void requireReadable(MemorySegment memory, long bytes, String role) {
    if (memory.byteSize() < bytes) {
      throw new IndexOutOfBoundsException(
          "%s has %d bytes, but %d are needed%s"
              .formatted(
                  role,
                  memory.byteSize(),
                  bytes,
                  memory.byteSize() == 0 && memory.address() != 0
                      ? "; memory of a device cannot be used here, copy it to the host first"
                      : ""));
    }
    if (!memory.scope().isAlive()) {
      throw new IllegalStateException(role + " is in an arena that is closed");
    }
    if (!memory.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException(
          role + " belongs to an arena confined to another thread than " + Thread.currentThread());
    }
  }

  /** Checks that the calling thread can read and write {@code bytes} bytes. */
  public static void requireWritable(MemorySegment memory, long bytes, String role) {
    requireReadable(memory, bytes, role);
    if (memory.isReadOnly() && bytes > 0) {
      throw new IllegalArgumentException(role + " is read-only; give memory that can be written");
    }
  }

  /** Checks that memory has an address, which arrays on the Java heap have not. */
  public static void requireNative(MemorySegment memory, String role) {
    if (!memory.isNative()) {
      throw new IllegalArgumentException(
          role + " is on the Java heap; give native memory, such as an arena's");
    }
  }

  /**
   * Returns the address of some bytes of native memory; 0 if there are none.
   *
   * @param offset of the first byte
   */
  public static long address(MemorySegment memory, long offset, long bytes, String role) {
    if (offset < 0 || bytes > memory.byteSize() - offset) {
      throw new IndexOutOfBoundsException(
          "%s has %d bytes, and %d are needed from %d on"
              .formatted(role, memory.byteSize(), bytes, offset));
    }
    if (bytes == 0) {
      return 0;
    }
    if (!memory.isNative()) {
      throw new IllegalArgumentException(
          role + " is on the Java heap; allocate it with an Arena or a memory space");
    }
    if (!memory.scope().isAlive()) {
      throw new IllegalStateException("the memory of " + role + " was freed");
    }
    return memory.address() + offset;
  }

  /** Checks that every thread may use the memory, not only the one it is confined to. */
  public static void requireShared(MemorySegment memory, String role) {
    if (confined(memory)) {
      throw new WrongThreadException(
          role
              + " belongs to a confined arena, but several threads work on it; allocate it from"
              + " Arena.ofShared() or Arena.ofAuto()");
    }
  }

  /** Returns whether only one thread may use the memory. */
  public static boolean confined(MemorySegment memory) {
    return !memory.isAccessibleBy(Stranger.THREAD);
  }

  /**
   * Checks that the first bytes of two segments are the same place or have no byte in common.
   *
   * @throws IllegalArgumentException if they overlap in part
   */
  public static void requireSameOrApart(
      MemorySegment input, long inputBytes, MemorySegment output, long outputBytes) {
    long distance = output.address() - input.address();
    if (distance == 0 || distance >= inputBytes || -distance >= outputBytes) {
      return;
    }
    MemorySegment read = input.asSlice(0, inputBytes);
    MemorySegment written = output.asSlice(0, outputBytes);
    // Arrays on the heap have offsets for addresses, which may be near though the arrays are not.
    if (read.asOverlappingSlice(written).isPresent()) {
      throw new IllegalArgumentException(
          "input and output overlap in part, %d bytes apart; give the same memory for both, or"
                  .formatted(Math.abs(distance))
              + " memory that is apart");
    }
  }

  /**
   * Runs work while two segments cannot be freed: a thread that closes one of their arenas
   * meanwhile gets an {@link IllegalStateException}, and the collector does not free automatic
   * arenas.
   *
   * <p>The JDK keeps the arenas of a native call's arguments alive during that call. So this is a
   * call of the C library's {@code bsearch} with both segments, whose comparison, called once, is
   * the work. It costs about 35 ns; nothing for memory of automatic and global arenas and of the
   * Java heap, which cannot be closed.
   *
   * @throws IllegalStateException if one of the segments is freed already
   * @throws WrongThreadException if one is confined to another thread
   */
  public static void holding(MemorySegment first, MemorySegment second, Runnable work) {
    if (!canBeClosed(first) && !canBeClosed(second)) {
      try {
        work.run();
      } finally {
        Reference.reachabilityFence(first);
        Reference.reachabilityFence(second);
      }
      return;
    }
    // Arrays on the heap cannot be passed. One hold of an arena is enough.
    MemorySegment a = first.isNative() ? first : CALLBACK;
    MemorySegment b = second.isNative() && !second.scope().equals(a.scope()) ? second : CALLBACK;
    Runnable outer = WORK.get();
    WORK.set(work);
    try {
      BSEARCH.invokeExact(a, b, 1L, 1L, CALLBACK);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    } finally {
      WORK.set(outer);
    }
    Throwable failure = FAILURE.get();
    if (failure != null) {
      FAILURE.remove();
      HostMemory.<RuntimeException>rethrow(failure);
    }
  }

  /** Whether memory can be freed by closing its arena; true if that is unknown. */
  private static boolean canBeClosed(MemorySegment memory) {
    Class<?> scope = memory.scope().getClass();
    return scope != AUTOMATIC && scope != GLOBAL && memory.isNative();
  }

  /** The target of the native function. An exception must not leave it: that would end the JVM. */
  @SuppressWarnings("unused")
  private static int call(long first, long second) {
    try {
      Objects.requireNonNull(WORK.get()).run();
    } catch (Throwable e) {
      FAILURE.set(e);
    }
    return 0;
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> void rethrow(Throwable failure) throws E {
    throw (E) failure;
  }

  @SuppressWarnings("restricted")
  private static MethodHandle bsearch() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("bsearch"),
        FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS));
  }

  @SuppressWarnings("restricted")
  private static MemorySegment callback() {
    try {
      return Linker.nativeLinker()
          .upcallStub(
              MethodHandles.lookup()
                  .findStatic(
                      HostMemory.class,
                      "call",
                      MethodType.methodType(int.class, long.class, long.class)),
              FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG),
              Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** A thread that owns no arena. */
  private static final class Stranger {
    static final Thread THREAD = Thread.ofPlatform().unstarted(() -> {});
  }
}
