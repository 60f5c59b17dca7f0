package dev.rialto.spi.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NonTemporalTest {
  private static final String LISTING =
      """
      .intel_syntax noprefix
        push    rbx
        mov     r10, [rsp + 16]
        lea     rbx, [r10 + r10 * 2]
        sub     r9, 64
      row:
        mov     r11, rdi
        xor     eax, eax
        jmp     more
      four:
        movdqu  xmm0, [r11]
        movdqu  xmm1, [r11 + r10]
        movdqu  xmm2, [r11 + r10 * 2]
        movdqu  xmm3, [r11 + rbx]
        movntdq [rdx + rax], xmm0
        movntdq [rdx + rax + 16], xmm1
        movntdq [rdx + rax + 32], xmm2
        movntdq [rdx + rax + 48], xmm3
        lea     r11, [r11 + r10 * 4]
        add     rax, 64
      more:
        cmp     rax, r9
        jle     four
        add     r9, 64
        jmp     rest
      one:
        movdqu  xmm0, [r11]
        movntdq [rdx + rax], xmm0
        add     r11, r10
        add     rax, 16
      rest:
        cmp     rax, r9
        jl      one
        sub     r9, 64
        add     rdi, rsi
        add     rdx, rcx
        dec     r8
        jnz     row
        pop     rbx
        ret
        sfence
        ret
      """;

  @TempDir private Path folder;

  @Test
  void theBytesAreWhatAnAssemblerMakesOfTheListing() throws Exception {
    Path listing = Files.writeString(folder.resolve("code.s"), LISTING);
    Path object = folder.resolve("code.o");
    Path text = folder.resolve("code.bin");
    assumeTrue(NonTemporal.available(), "needs Linux on x86-64");
    assumeTrue(
        runs(List.of("as", "-o", object.toString(), listing.toString()))
            && runs(
                List.of(
                    "objcopy", "-O", "binary", "-j", ".text", object.toString(), text.toString())),
        "needs an assembler");
    assertThat(Files.readAllBytes(text)).isEqualTo(NonTemporal.CODE);
  }

  private static boolean runs(List<String> command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void rowsAreCopiedAndNothingElse() {
    assumeTrue(NonTemporal.available(), "needs Linux on x86-64");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = random(arena, 1 << 13);
      for (int bytes = 16; bytes <= 256; bytes += 48) {
        MemorySegment to = arena.allocate(1 << 12, 64);
        NonTemporal.rows(from.address() + 3, 301, 27, to.address() + 16, 272, 7, bytes);
        NonTemporal.fence();
        MemorySegment expected = arena.allocate(1 << 12);
        for (int row = 0; row < 7; row++) {
          for (int unit = 0; unit < bytes / 16; unit++) {
            MemorySegment.copy(
                from, 3 + 301L * row + 27L * unit, expected, 16 + 272L * row + 16L * unit, 16);
          }
        }
        assertThat(to.mismatch(expected)).isEqualTo(-1);
      }
    }
  }

  /** Sizes beyond the caches' limit, with rows and columns that fill no tile and no 16 bytes. */
  @ParameterizedTest
  @CsvSource({
    "C128, 81, 83, 85, 0",
    "C128, 64, 96, 96, 16",
    "F64, 128, 96, 96, 0",
    "F64, 107, 109, 101, 8",
    "F32, 130, 130, 132, 0",
    "F32, 129, 131, 133, 4",
    "F16, 164, 162, 168, 2",
    "I8, 212, 208, 210, 1"
  })
  void boxesPastTheCachesAreLikeOthers(DType type, int a, int b, int c, int shift) {
    Shape shape = Shape.of(a, b, c);
    long bytes = type.bytes(shape.count());
    assertThat(bytes).isGreaterThan(NonTemporal.LEAST_BYTES);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = random(arena, bytes + shift).asSlice(shift);
      MemorySegment to = arena.allocate(bytes + shift, 64).asSlice(shift);
      MemorySegment expected = arena.allocate(bytes);
      long[][] orders = {{(long) b * c, c, 1}, {c, (long) a * c, 1}, {1, a, (long) a * b}};
      for (long[] strides : orders) {
        Layout source = Layout.contiguous(type, shape.count());
        Layout target = Layout.strided(type, shape, strides, 0);
        plain(type.size(), shape, strides, from, expected);
        for (CopyTile tile : CopyTile.ALL) {
          to.fill((byte) 0);
          StridedCopy.of(source, target, tile, bytes).run(from, to);
          assertThat(to.mismatch(expected)).as("%s", tile).isEqualTo(-1);
        }
      }
    }
  }

  private static void plain(
      int size, Shape shape, long[] strides, MemorySegment from, MemorySegment to) {
    long at = 0;
    for (long i = 0; i < shape.extent(0); i++) {
      for (long j = 0; j < shape.extent(1); j++) {
        for (long k = 0; k < shape.extent(2); k++) {
          long place = i * strides[0] + j * strides[1] + k * strides[2];
          MemorySegment.copy(from, at, to, place * size, size);
          at += size;
        }
      }
    }
  }

  private static MemorySegment random(Arena arena, long bytes) {
    MemorySegment memory = arena.allocate(bytes, 64);
    Random random = new Random(42);
    for (long i = 0; i < bytes / 8; i++) {
      memory.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextLong());
    }
    return memory;
  }
}
