package dev.rialto.array.algorithm;

import static dev.rialto.system.AddressSpace.MEMORY;

import dev.rialto.array.device.DeviceScan;
import dev.rialto.array.loop.Combination;
import dev.rialto.array.loop.Fold;
import dev.rialto.array.loop.Loops;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.Operands;
import dev.rialto.array.part.View;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.array.run.Scratch;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * Running combinations of the elements before each one, in row-major order, with any associative
 * operator.
 *
 * <p>Ranks combine their elements, exchange these values, and go over their elements once more,
 * with what came before as the start. Arrays whose elements do not lie in order are moved there and
 * back. The arrays may be one.
 */
public final class Scan {
  private static final Elements WORDS = Elements.of(DType.I64);
  private static final long[] NOTHING = {};

  /** Elements that the nearest cache keeps until they are read again. */
  private static final long BLOCK = 2000;

  /** Fewer are combined in one chain. */
  private static final long SHORT = 64;

  /** The carries, and room for what is combined into the last. */
  private static final long CARRIES = 3 * Loops.CARRY + Fold.BYTES;

  private Scan() {}

  /**
   * Sets {@code out[i] = in[0] op … op in[i]}, or, from the words of an initial value, {@code
   * out[i] = initial op in[0] op … op in[i-1]}.
   */
  public static ArrayOperation<Operand> of(
      Operand in, Operand out, Combination combination, long... initial) {
    out.requireStored("setting");
    Operands.requireSameShape(in, out);
    Operands.requireApart(in, out);
    if (Operands.anyOnDevice(in, out)) {
      return DeviceScan.scan(in, out, combination, initial);
    }
    Object op = combination.function();
    return ArrayOperation.collective(
            initial.length > 0 ? "exclusiveScan" : "inclusiveScan",
            run -> {
              View from = HostTemporaries.inOrder(run, in);
              View to =
                  in.isInOrder() && out.isInOrder() && Operands.isAligned(in, out)
                      ? out.view()
                      : HostTemporaries.temporary(run, out.type(), from.distribution());
              Loops loops = Loops.of(op, null, from.elements(), to.elements());
              Reduction folding = new Reduction(combination, from.elements(), null, null);
              boolean last = run.rank() == run.ranks() - 1;
              long[][] values = run.gather(last ? NOTHING : folding.ofRank(run, from, null));
              long[] before = folding.ofRanks(run, values, run.rank());
              if (initial.length > 0) {
                before =
                    before.length == 0
                        ? initial
                        : folding.ofRanks(run, new long[][] {initial, before}, 2);
              }
              long carry = run.scratch().numbers(Scratch.VALUES, CARRIES / 8).address();
              long at = start(before, carry, from, to);
              while (at < from.count()) {
                run.check();
                long next = Math.min(from.count(), at + BLOCK);
                next = Math.min(next, at + Math.min(from.layout().run(at), to.layout().run(at)));
                block(loops, folding, op, initial.length > 0, carry, from, to, at, next - at);
                at = next;
              }
              if (to.memory().address() != out.address()) {
                run.move(to, out.view());
              }
              long[][] _ = run.gatherLast();
              return out;
            })
        .about(in, out, combination, initial.length);
  }

  /**
   * Goes over doubles in four chains, each of which begins with what the quarters before it are
   * combined into: to add takes four cycles, and in one chain each sum waits for the one before.
   */
  private static void block(
      Loops loops,
      Reduction folding,
      Object op,
      boolean before,
      long carry,
      View from,
      View to,
      long at,
      long count) {
    Elements elements = from.elements();
    long in = from.address(at);
    long out = to.address(at);
    long quarter = elements.isFloating() && count >= SHORT ? count / 4 : 0;
    long done = 4 * quarter;
    if (quarter > 0) {
      for (long i = 1; i < 4; i++) {
        long start = in + elements.type.bytes((i - 1) * quarter);
        long next = carry + i * Loops.CARRY;
        folding.add(next - Loops.CARRY, start, quarter, next);
      }
      loops.scanQuarters(op, before, carry, elements, in, to.elements(), out, quarter);
      MemorySegment.copy(MEMORY, carry + 3 * Loops.CARRY, MEMORY, carry, Loops.CARRY);
    }
    if (done < count) {
      loops.scan(
          op,
          before,
          carry,
          elements,
          in + elements.type.bytes(done),
          to.elements(),
          out + to.elements().type.bytes(done),
          count - done);
    }
  }

  /** Sets the carry to what came before, or to the very first element; returns what follows. */
  private static int start(long[] before, long carry, View from, View to) {
    if (before.length > 0) {
      WORDS.write(carry, before);
      return 0;
    }
    if (from.count() > 0) {
      long[] first = from.elements().read(from.address(0));
      to.elements().write(to.address(0), first);
      WORDS.write(carry, first);
    }
    return 1;
  }
}
