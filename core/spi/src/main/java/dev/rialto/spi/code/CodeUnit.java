package dev.rialto.spi.code;

import java.util.List;

/**
 * Procedures that are compiled together.
 *
 * @param name for messages and files; letters, digits and underscores
 * @param procedures the code
 * @param fast whether a target may contract and reorder floating-point operations
 * @param source the procedures in the target's {@link CodeTarget#dialect}; empty if it has none
 */
public record CodeUnit(String name, List<Procedure> procedures, boolean fast, String source) {
  /** Copies the procedures. */
  public CodeUnit {
    procedures = List.copyOf(procedures);
  }
}
