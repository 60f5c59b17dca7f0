package dev.rialto.spi.copy;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Objects.requireNonNull;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Copies that leave the caches alone.
 *
 * <p>An ordinary store first fetches the line that it writes to, so that a copy moves three times
 * its bytes, not two. Processors have stores that do not, but the JVM uses them only inside single
 * copies of tens of megabytes. So this class brings its own copy: a few bytes of machine code in a
 * page of memory. Nothing is compiled or shipped for it, and where it cannot be - on processors
 * other than x86-64, on systems other than Linux, where memory may not be executed - ordinary
 * stores do the work.
 */
final class NonTemporal {
  /** The bytes of a store. */
  static final int UNIT = 16;

  /**
   * A loop over rows and their units of 16 bytes, as a C function of the first address, the bytes
   * from one row to the next, the same two of the target, the number of rows, the bytes of each in
   * the target, and the bytes from one unit to the next; and the fence after it. It takes four
   * units at a time: a loop of one each has too few loads under way.
   */
  static final byte[] CODE =
      HexFormat.of()
          .parseHex(
              "53" // push    rbx
                  + "4c8b542410" // mov     r10, [rsp + 16]
                  + "4b8d1c52" // lea     rbx, [r10 + r10 * 2]
                  + "4983e940" // sub     r9, 64
                  + "4989fb" // mov     r11, rdi   <- row
                  + "31c0" // xor     eax, eax
                  + "eb36" // jmp     more
                  + "f3410f6f03" // movdqu  xmm0, [r11]   <- four
                  + "f3430f6f0c13" // movdqu  xmm1, [r11 + r10]
                  + "f3430f6f1453" // movdqu  xmm2, [r11 + r10 * 2]
                  + "f3410f6f1c1b" // movdqu  xmm3, [r11 + rbx]
                  + "660fe70402" // movntdq [rdx + rax], xmm0
                  + "660fe74c0210" // movntdq [rdx + rax + 16], xmm1
                  + "660fe7540220" // movntdq [rdx + rax + 32], xmm2
                  + "660fe75c0230" // movntdq [rdx + rax + 48], xmm3
                  + "4f8d1c93" // lea     r11, [r11 + r10 * 4]
                  + "4883c040" // add     rax, 64
                  + "4c39c8" // cmp     rax, r9   <- more
                  + "7ec5" // jle     four
                  + "4983c140" // add     r9, 64
                  + "eb11" // jmp     rest
                  + "f3410f6f03" // movdqu  xmm0, [r11]   <- one
                  + "660fe70402" // movntdq [rdx + rax], xmm0
                  + "4d01d3" // add     r11, r10
                  + "4883c010" // add     rax, 16
                  + "4c39c8" // cmp     rax, r9   <- rest
                  + "7cea" // jl      one
                  + "4983e940" // sub     r9, 64
                  + "4801f7" // add     rdi, rsi
                  + "4801ca" // add     rdx, rcx
                  + "49ffc8" // dec     r8
                  + "7593" // jnz     row
                  + "5b" // pop     rbx
                  + "c3" // ret
                  + "0faef8" // sfence
                  + "c3"); // ret

  /** Of so many bytes nothing is found in caches, and nothing should be left there. */
  static final long LEAST_BYTES = 8 << 20;

  private static final int FENCE_AT = 125;

  /** The most bytes in one call, during which the JVM cannot stop. */
  private static final long PIECE = 256 << 10;

  private static final int PAGE = 4096;
  private static final int READ = 1;
  private static final int WRITE = 2;
  private static final int EXECUTE = 4;
  private static final int PRIVATE_ANONYMOUS = 0x22;

  private static final @Nullable MemorySegment PLACE = place();
  private static final @Nullable MethodHandle ROWS =
      function(0, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final @Nullable MethodHandle FENCE = function(FENCE_AT);

  private static final ThreadLocal<MemorySegment> SCRATCH =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(CopyTile.PAST_BYTES, 64));

  private NonTemporal() {}

  static boolean available() {
    return PLACE != null;
  }

  /** Returns whether so many bytes are best written like this, and can be here. */
  static boolean pays(long bytes) {
    return available() && bytes >= LEAST_BYTES;
  }

  /**
   * Copies rows, gathered in units of {@link #UNIT} bytes, to where they have no gaps and do not
   * overlap. The target's addresses and the bytes of a row are multiples of a unit, and there is at
   * least one row of at least that length. Others see what was written after a {@link #fence}.
   *
   * @param apart the bytes from one unit of the source to the next
   */
  static void rows(
      long from, long fromRow, long apart, long to, long toRow, long rows, long bytes) {
    long part = Math.min(bytes, PIECE);
    long step = PIECE / part;
    for (long at = 0; at < bytes; at += part) {
      for (long row = 0; row < rows; row += step) {
        long source = from + row * fromRow + at / UNIT * apart;
        long target = to + row * toRow + at;
        try {
          requireNonNull(ROWS)
              .invokeExact(
                  source,
                  fromRow,
                  target,
                  toRow,
                  Math.min(step, rows - row),
                  Math.min(part, bytes - at),
                  apart);
        } catch (Throwable e) {
          throw new AssertionError("a native call throws nothing", e);
        }
      }
    }
  }

  /** Lets later stores become visible after these copies only. */
  static void fence() {
    try {
      requireNonNull(FENCE).invokeExact();
    } catch (Throwable e) {
      throw new AssertionError("a native call throws nothing", e);
    }
  }

  /** Writes the code into a page that is then made executable; null if this cannot be. */
  private static @Nullable MemorySegment place() {
    if (!System.getProperty("os.name").equals("Linux")
        || !System.getProperty("os.arch").equals("amd64")) {
      return null;
    }
    try {
      MethodHandle map =
          libc(
              "mmap",
              FunctionDescriptor.of(
                  JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
      MethodHandle protect =
          libc("mprotect", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
      long address =
          (long)
              map.invokeExact(
                  MemorySegment.NULL, (long) PAGE, READ | WRITE, PRIVATE_ANONYMOUS, -1, 0L);
      if (address == -1) {
        return null;
      }
      MemorySegment page = MemorySegment.ofAddress(address);
      MemorySegment.copy(MemorySegment.ofArray(CODE), 0, MEMORY, address, CODE.length);
      return (int) protect.invokeExact(page, (long) PAGE, READ | EXECUTE) == 0 ? page : null;
    } catch (Throwable e) {
      return null;
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle libc(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
  }

  /** Binds a function that is so short that the JVM can wait for it. */
  @SuppressWarnings("restricted")
  private static @Nullable MethodHandle function(int at, MemoryLayout... arguments) {
    return PLACE == null
        ? null
        : Linker.nativeLinker()
            .downcallHandle(
                MemorySegment.ofAddress(PLACE.address() + at),
                FunctionDescriptor.ofVoid(arguments),
                Linker.Option.critical(false));
  }

  /** Returns this thread's memory for what is about to be copied. */
  static long scratch() {
    return SCRATCH.get().address();
  }
}
