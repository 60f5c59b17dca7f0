package dev.rialto.runtime.body;

import dev.rialto.spi.code.Buffer.Storage;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Body;
import dev.rialto.spi.kernel.LoweredKernel.JavaBody;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel's body that is compiled code. The code is bound to the buffers of a launch when it first
 * sees them; a prepared launch always passes the same ones, so running it again binds nothing.
 */
public final class CodeBody implements Body {
  private record Bound(List<MemorySegment> buffers, RangeBody body) {}

  private final Code code;
  private final int number;
  private final Procedure procedure;
  private volatile @Nullable Bound latest;

  private CodeBody(Code code, int number, Procedure procedure) {
    this.code = code;
    this.number = number;
    this.procedure = procedure;
  }

  /** Makes the kernel of a procedure; one access for each of its parameters. */
  public static LoweredKernel kernel(Unit unit, Code code, int number, List<Access> accesses) {
    Procedure procedure = unit.procedures().get(number);
    int count = procedure.parameters().size();
    if (accesses.size() != count) {
      throw new IllegalArgumentException(
          "%s accesses for the %s parameters of procedure '%s'; give one for each"
              .formatted(accesses.size(), count, procedure.name()));
    }
    List<Parameter> parameters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      dev.rialto.spi.code.Buffer buffer = procedure.parameters().get(i);
      parameters.add(new Parameter(buffer.name(), type(buffer.storage()), accesses.get(i)));
    }
    return new JavaBody(procedure.name(), parameters, new CodeBody(code, number, procedure));
  }

  private static DType type(Storage storage) {
    return switch (storage) {
      case I8 -> DType.I8;
      case I16 -> DType.F16;
      case I32 -> DType.I32;
      case I64 -> DType.I64;
      case F32 -> DType.F32;
      case F64 -> DType.F64;
    };
  }

  // Lists of the same buffers are other launches; comparing their elements would take longer.
  @SuppressWarnings("ReferenceEquality")
  @Override
  public void run(long begin, long end, List<MemorySegment> buffers) {
    if (end > procedure.items()) {
      throw new IndexOutOfBoundsException(
          "procedure '%s' has %s items, but is launched over %s or more"
              .formatted(procedure.name(), procedure.items(), end));
    }
    Bound bound = latest;
    if (bound == null || bound.buffers() != buffers) {
      bound = new Bound(buffers, code.bind(number, buffers));
      latest = bound;
    }
    bound.body().run(begin, end);
  }

  @Override
  public boolean onlyComputes() {
    return true;
  }
}
