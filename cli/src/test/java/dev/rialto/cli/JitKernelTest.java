package dev.rialto.cli;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Program;
import dev.rialto.jit.lower.Lowered;
import dev.rialto.jit.lower.Options;
import dev.rialto.jit.lower.Pipeline;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Kernel;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

class JitKernelTest {
  /** A compiled program is launched on a device, between other operations. */
  @Test
  void aCompiledProgramIsAKernelOfTheCpuDevice() {
    Program program = Program.parse("twice", "input x f32[4]\ny[i] = 2 * x[i]\n");
    Lowered lowered = Pipeline.run(program, Options.strict(0));
    Procedure procedure = lowered.procedures().getFirst();
    Access[] accesses =
        lowered.slots().getFirst().stream()
            .map(slot -> slot instanceof Lowered.Slot.OfNode(var node) ? node.name() : "")
            .map(name -> name.equals("x") ? Access.READ : Access.WRITE)
            .toArray(Access[]::new);
    Unit unit = new Unit("twice", lowered.procedures(), false, "");
    CodeTarget target = JitBackend.targets().get("jvm");
    ComputeClient client = Devices.open("cpu:0");
    try (Code code = target.load(unit, target.build(unit));
        Kernel kernel = client.compile(unit, code, 0, accesses);
        Buffer x = client.empty(16);
        Buffer y = client.empty(16)) {
      client.fill(x, MemorySegment.ofArray(new float[] {3}));
      List<Buffer> buffers = accesses[0] == Access.READ ? List.of(x, y) : List.of(y, x);
      client.launch(kernel, procedure.items(), buffers.toArray(Buffer[]::new));
      assertThat(client.read(y).toArray(JAVA_FLOAT)).containsExactly(6, 6, 6, 6);
    }
  }
}
