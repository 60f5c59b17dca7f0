package dev.rialto.array.algorithm;

import dev.rialto.array.device.DeviceKeys;
import dev.rialto.array.loop.SortOrder;
import dev.rialto.array.part.Elements;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.View;
import dev.rialto.array.run.ArrayOperation;
import java.util.Arrays;

/** The values that occur in an array, each once. Sorts a copy; see {@link Sort}. */
public final class Unique {
  private Unique() {}

  /**
   * Returns a new array of one axis with each value once, ascending. It is the caller's, and each
   * rank holds as many of its elements as came out there.
   */
  public static ArrayOperation<Operand> of(Operand array) {
    Elements elements = Elements.real(array.type(), "sorting");
    boolean floating = elements.isFloating();
    return ArrayOperation.collective(
            "unique",
            run -> {
              if (array.isOnDevice()) {
                return DeviceKeys.of(run, array, SortOrder.NATURAL, 0).sort().unique(array);
              }
              View view = HostTemporaries.stored(run, array.values());
              HostKeys sorted = new HostKeys(run, view, SortOrder.NATURAL, 0, false).sort();
              long[] once =
                  Arrays.stream(sorted.keys(), sorted.begin(), sorted.begin() + (int) view.count())
                      .distinct()
                      .toArray();
              // A value may end one rank's part and begin the next one's: the first keeps it.
              long[][] ends =
                  run.gather(once.length == 0 ? once : new long[] {once[once.length - 1]});
              int skip = 0;
              for (int rank = run.rank() - 1; rank >= 0 && once.length > 0; rank--) {
                if (ends[rank].length > 0) {
                  skip = ends[rank][0] == once[0] ? 1 : 0;
                  break;
                }
              }
              long[] mine = Arrays.copyOfRange(once, skip, once.length);
              return Rearrange.made(
                  run,
                  array,
                  mine.length,
                  made -> {
                    View to = made.view();
                    for (int i = 0; i < mine.length; i++) {
                      to.elements().set(to.address(i), Elements.fromKey(mine[i], floating));
                    }
                  });
            })
        .about(array);
  }
}
