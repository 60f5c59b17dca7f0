package dev.rialto.tck;

import dev.rialto.spi.Capability;
import java.util.List;

/**
 * The result of one requirement.
 *
 * @param id its number
 * @param text what is required
 * @param capabilities those it is about; may be empty
 * @param outcome whether it is met
 * @param ranks the numbers of ranks it was met with; empty where it needs none
 * @param message why it is not met, or was not run; empty if it is met
 * @param detail stacks of what failed, or of what hung; may be empty
 * @param millis how long it took
 */
public record RequirementResult(
    String id,
    String text,
    List<Capability> capabilities,
    Outcome outcome,
    List<Integer> ranks,
    String message,
    String detail,
    long millis) {
  /** Copies the lists. */
  public RequirementResult {
    capabilities = List.copyOf(capabilities);
    ranks = ranks.stream().distinct().toList();
  }
}
