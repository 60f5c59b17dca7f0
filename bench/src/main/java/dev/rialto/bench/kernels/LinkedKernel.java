package dev.rialto.bench.kernels;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.run.Compiled;
import dev.rialto.jit.run.Context;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.jit.run.Routine;
import dev.rialto.jit.run.Settings;
import dev.rialto.runtime.Resource;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** A program that is compiled fast, linked and given numbers, ready to be run and timed. */
public final class LinkedKernel implements AutoCloseable {
  private final JitBackend backend;
  private final Program program;
  private final Compiled compiled;
  private final Context root;
  private final Routine routine;
  private final List<Resource> open = new ArrayList<>();

  public LinkedKernel(String machine, String name, String text) {
    this(machine, name, text, Settings.fromProperties().withCache(Optional.empty()).withFast(true));
  }

  public LinkedKernel(String machine, String name, String text, Settings settings) {
    backend = JitBackend.open(machine, settings);
    program = Program.parse(name, text);
    compiled = backend.compile(program);
    root = backend.newDevice(0).context();
    routine = backend.link(root, compiled);
    SplittableRandom random = new SplittableRandom(1);
    for (Node node : program.inputs()) {
      MemorySegment memory = memory(node);
      long count = node.shape().count();
      for (long i = 0; i < count; i++) {
        double value = random.nextDouble(-1, 1);
        switch (node.type()) {
          case F32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
          case F64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
          default -> throw new IllegalArgumentException("inputs are f32 or f64, not " + node);
        }
      }
    }
  }

  /** Returns a node's memory, which stays open as long as this. */
  private MemorySegment memory(Node node) {
    Context context = routine.context();
    Resource memory = context.device().client().resource(context.buffer(node), true);
    open.add(memory);
    return memory.segment();
  }

  public MemorySegment buffer(String node) {
    return memory(program.node(node));
  }

  public double millis() {
    long start = System.nanoTime();
    routine.run();
    routine.context().device().await();
    return (System.nanoTime() - start) / 1e6;
  }

  @Override
  public void close() {
    open.forEach(Resource::close);
    routine.close();
    routine.context().close();
    root.close();
    compiled.close();
    backend.close();
  }
}
