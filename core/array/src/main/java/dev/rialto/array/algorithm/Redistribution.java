package dev.rialto.array.algorithm;

import dev.rialto.array.IndexSpace;
import dev.rialto.array.part.Operand;
import dev.rialto.array.part.RankPart;
import dev.rialto.array.part.View;
import dev.rialto.array.run.ArrayOperation;
import dev.rialto.array.run.Movement;

/** Gives an array another space: divided in another way, or of another shape. */
public final class Redistribution {
  private Redistribution() {}

  /** Moves the elements whose index both spaces have; others are zero. */
  public static ArrayOperation<Operand> of(Operand array, String name, IndexSpace other) {
    array.checkOpen();
    array.requireStored(name + " of");
    array.requireWhole(name, "copy it to an array of its own");
    return ArrayOperation.<Operand>collective(
            name,
            run -> {
              RankPart part = array.part();
              part.requireFree(array, name, name);
              View old = array.view();
              RankPart changed =
                  array.team().unnumbered(other, array.type()).part().reserve(array.toString());
              try {
                run.exchange(
                    array.client(),
                    exchanger -> {
                      changed.share();
                      if (array.isOnDevice()) {
                        Movement.move(exchanger, part, changed);
                      } else {
                        Movement.move(run, exchanger, old, changed.view());
                      }
                      array.change(changed);
                    });
              } finally {
                if (array.part() != changed) {
                  changed.close(false);
                }
              }
              long[][] _ = run.gatherLast();
              return array;
            })
        .about(array, other);
  }
}
