package dev.rialto.jit.run;

import dev.rialto.runtime.Buffer;

/**
 * A buffer that a context owns, alone or with others.
 *
 * @param buffer the buffer, to be closed with this
 */
record OwnedMemory(Buffer buffer) implements NodeMemory.Loan {
  @Override
  public void close() {
    buffer.close();
  }
}
