package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.ReferenceEvaluator;
import dev.rialto.jit.lower.Lowered;
import dev.rialto.jit.lower.Options;
import dev.rialto.jit.lower.Options.Feature;
import dev.rialto.jit.lower.Pipeline;
import dev.rialto.jit.run.Machines;
import dev.rialto.spi.code.Procedure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sums and products of programs by the threads of a block, walked through as a GPU does them. */
class ProgramBlocksTest {
  private static final String TEXT =
      """
      input x f64[2, 300]
      input n i32[5, 3, 60]
      input more f64[2]
      output s[i] += x[i, j] * x[i, j]
      output most[j] max= n[i, j, k]
      more[i] += x[i, j]
      """;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void blocksOfThreadsSumWhatLoopsDo(boolean exchanges) {
    Set<Feature> features = EnumSet.of(Feature.THREADS, Feature.BLOCKS);
    if (exchanges) {
      features.add(Feature.EXCHANGES);
    }
    Options options = new Options(true, true, 0, false, Map.of(), features);
    check(Program.parse("sums", TEXT), options, 1e-9, 2L, 3L, 2L);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "input a f64[33, 40]\ninput b f64[34, 40]\nc[i, j] += a[i, k] * b[j, k]",
        """
        input a f64[32, 64]
        input b f64[32, 64]
        input c f64[64, 64]
        c[i, j] += a[k, i] * b[k, j]
        """,
      })
  void tilesOfProductsKeepEveryBit(String text) {
    Set<Feature> features = EnumSet.of(Feature.THREADS, Feature.BLOCKS);
    Options options = new Options(true, false, 0, false, Map.of(), features);
    check(Program.parse("product", text), options, 0, 1L);
  }

  private static void check(Program program, Options options, double error, Long... items) {
    Map<Node, double[]> inputs = new HashMap<>();
    program
        .inputs()
        .forEach(
            node -> {
              double[] values = new double[(int) node.shape().count()];
              java.util.Arrays.setAll(values, i -> i * 37 % 101 - 50);
              inputs.put(node, values);
            });
    Map<Node, double[]> expected = ReferenceEvaluator.run(program, inputs, 0);
    Lowered lowered = Pipeline.run(program, options);
    assertThat(lowered.procedures()).extracting(Procedure::items).containsExactly(items);
    try (Arena arena = Arena.ofShared()) {
      Map<Node, MemorySegment> memory = new HashMap<>();
      for (Node node : program.nodes()) {
        MemorySegment segment = arena.allocate(node.bytes(), 64);
        Machines.write(
            node, segment, inputs.getOrDefault(node, new double[(int) node.shape().count()]));
        memory.put(node, segment);
      }
      for (int i = 0; i < lowered.procedures().size(); i++) {
        List<MemorySegment> buffers =
            lowered.slots().get(i).stream()
                .map(slot -> memory.get(((Lowered.Slot.OfNode) slot).node()))
                .toList();
        DeviceThreads.run(lowered.procedures().get(i), 256, buffers);
      }
      for (Node node : program.assigned()) {
        double[] found = Machines.read(node, memory.get(node));
        for (int i = 0; i < found.length; i++) {
          assertThat(found[i])
              .as("%s[%d]", node, i)
              .isEqualTo(expected.get(node)[i], within(error));
        }
      }
    }
  }
}
