package dev.rialto.jit.run;

import dev.rialto.jit.loops.LoopInterpreter;
import dev.rialto.spi.Probe;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Runs loops by walking them, every access checked: the oracle that the other targets are compared
 * with. Some ten thousand times slower than they are.
 */
public final class Interpreter implements CodeTarget {
  /** Made by {@link java.util.ServiceLoader}. */
  public Interpreter() {}

  @Override
  public String name() {
    return "interpreter";
  }

  @Override
  public Probe probe() {
    return new Probe.Available(List.of(), List.of());
  }

  @Override
  public int vectorBits() {
    return 0;
  }

  @Override
  public String fingerprint() {
    return "interpreter 1";
  }

  @Override
  public byte[] build(Unit unit) {
    return new byte[0];
  }

  @Override
  public Code load(Unit unit, byte[] image) {
    return new Code() {
      @Override
      public RangeBody bind(int procedure, List<MemorySegment> buffers) {
        Procedure code = unit.procedures().get(procedure);
        Code.check(code, buffers);
        return (begin, end) -> new LoopInterpreter(code, buffers).run(begin, end);
      }

      @Override
      public void close() {}
    };
  }
}
