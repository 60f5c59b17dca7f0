package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.rialto.jit.lift.Lifter;
import dev.rialto.spi.data.Shape;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Blocks as groups of an OpenCL device, as those have them that are no cores. */
@Tag("gpu")
class GroupsTest {
  private static final String VECTORS = "rialto.opencl.vectors";

  private String device = "";

  @BeforeEach
  void takeADevice() {
    device =
        KernelTargets.devices().stream()
            .filter(name -> name.startsWith("opencl:"))
            .findFirst()
            .orElseGet(() -> abort("no OpenCL device is here"));
    System.setProperty(VECTORS, "off");
  }

  @AfterEach
  void giveItBack() {
    System.clearProperty(VECTORS);
  }

  private static final KernelBody.Of3<I32, F32, I64> STEPS =
      (Item it, I32 counts, F32 x, I64 sums) -> {
        int[] local = it.sharedInts(8);
        long[] total = it.sharedLongs(1);
        float[] least = it.sharedFloats(1);
        int[] own = new int[3];
        for (int b = it.local(); b < 8; b += it.blockSize()) {
          local[b] = 0;
        }
        if (it.local() == 0) {
          total[0] = 0;
          least[0] = 5;
        }
        it.barrier();
        int bin = (int) (x.get(it.global()) * 8);
        own[bin % 3] += 2;
        it.atomicAdd(local, bin, 1);
        it.atomicAdd(total, 0, own[bin % 3]);
        it.atomicMin(least, 0, x.get(it.global()));
        for (int step = 1; step < 4; step++) {
          it.barrier();
          if (it.local() == step) {
            total[0] += 100L * step;
          }
        }
        it.barrier();
        for (int b = it.local(); b < 8; b += it.blockSize()) {
          it.atomicAdd(counts, b, local[b]);
        }
        sums.set(it.global(), total[0] + (int) (least[0] * 1000));
      };

  @Test
  void itemsOfAGroupShareMemoryAndWait() {
    int items = 70;
    float[] x = new float[items];
    Random random = new Random(11);
    for (int i = 0; i < items; i++) {
      x[i] = random.nextFloat();
    }
    int[] counts = new int[8];
    long[] sums = new long[items];
    PlainRun.of(STEPS, 16, items, I32.of(counts), F32.of(x), I64.of(sums));
    int[] found = new int[8];
    long[] foundSums = new long[items];
    try (JavaKernel kernel = KernelTargets.on(device).withBlockSize(16).compile(STEPS)) {
      assertThat(kernel.source()).contains("barrier(CLK_LOCAL_MEM_FENCE", "__local int32_t");
      kernel.launch(items, found, x, foundSums);
    }
    assertThat(found).isEqualTo(counts);
    assertThat(foundSums).isEqualTo(sums);
  }

  @Test
  void blocksOfTwoAxesAreGroupsToo() {
    KernelBody.Of1<I32> turn =
        (Item it, I32 y) -> {
          int[] tile = it.sharedInts(12);
          tile[it.local()] = (int) it.global();
          it.barrier();
          y.set(it.global(), tile[it.blockSize() - 1 - it.local()]);
        };
    int[] expected = new int[7 * 10];
    PlainRun.of(turn, Shape.of(3, 4), Shape.of(7, 10), I32.of(expected));
    int[] found = new int[7 * 10];
    try (JavaKernel kernel = KernelTargets.on(device).withBlock(3, 4).compile(turn)) {
      assertThat(kernel.source()).contains("barrier(");
      kernel.launch(Shape.of(7, 10), found);
    }
    assertThat(found).isEqualTo(expected);
  }

  /**
   * Code that groups cannot run is loops of one item: items return before a barrier, or exchange.
   */
  @Test
  void itemsThatReturnBeforeABarrierAreLoops() {
    KernelBody.Of1<I32> body =
        (Item it, I32 y) -> {
          if (it.local() == 3) {
            return;
          }
          int[] all = it.sharedInts(8);
          all[it.local()] = it.local();
          it.barrier();
          y.set(it.global(), all[it.local() == 0 ? 1 : 0]);
        };
    assertThat(Lifter.lift("kernel", Shape.of(8), body).forGroups(true)).isEmpty();
    int[] expected = new int[20];
    PlainRun.of(body, 8, 20, I32.of(expected));
    int[] found = new int[20];
    try (JavaKernel kernel = KernelTargets.on(device).withBlockSize(8).compile(body)) {
      assertThat(kernel.source()).doesNotContain("barrier(");
      kernel.launch(20, found);
    }
    assertThat(found).isEqualTo(expected);
  }
}
