package dev.rialto.tck.run;

import dev.rialto.spi.Capability;
import org.opentest4j.TestAbortedException;

/** A requirement does not apply: its capability is not declared, and was refused as it must be. */
public final class NotDeclared extends TestAbortedException {
  private static final long serialVersionUID = 1L;

  public NotDeclared(Capability capability) {
    super("not declared: " + capability.what());
  }
}
