package dev.rialto.local.message;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.MemorySegment.Scope;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A receiver finds a short message whole, in a slot that an earlier one has used, or not at all.
 */
@JCStressTest
@Outcome(
    id = {"0, 0", "9, 7777"},
    expect = ACCEPTABLE,
    desc = "all or nothing")
@State
public class RingStress {
  private static final long NUMBER = Ring.SLOTS;
  private static final MemorySegment FIRST = payload(1111);
  private static final MemorySegment SECOND = payload(7777);

  /** Memory of the Java heap, of which millions of rings can be made in a moment. */
  private static final Arena HEAP =
      new Arena() {
        @Override
        public MemorySegment allocate(long bytes, long alignment) {
          return MemorySegment.ofArray(new long[(int) (bytes / Long.BYTES)]);
        }

        @Override
        public Scope scope() {
          return Arena.global().scope();
        }

        @Override
        public void close() {}
      };

  private final Ring ring = new Ring(HEAP);

  public RingStress() {
    ring.put(0, 3, DType.I8, FIRST, 0, Long.BYTES);
  }

  private static MemorySegment payload(long value) {
    return MemorySegment.ofArray(new long[] {value});
  }

  @Actor
  public void sender() {
    ring.put(NUMBER, 9, DType.I8, SECOND, 0, Long.BYTES);
  }

  @Actor
  public void receiver(JJ_Result r) {
    if (ring.ready(NUMBER)) {
      r.r1 = ring.length(NUMBER) == Long.BYTES ? ring.tag(NUMBER) : -1;
      r.r2 = ring.memory().get(ValueLayout.JAVA_LONG, ring.payload(NUMBER));
    }
  }
}
