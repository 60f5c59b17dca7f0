package dev.rialto.bench;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.run.Compiled;
import dev.rialto.jit.run.Context;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.jit.run.Routine;
import dev.rialto.jit.run.Settings;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.SplittableRandom;

/** A program that is compiled fast, linked and given numbers, ready to be run and timed. */
final class LinkedKernel implements AutoCloseable {
  private final JitBackend backend;
  private final Program program;
  private final Compiled compiled;
  private final Context root;
  private final Routine routine;

  LinkedKernel(String machine, String name, String text) {
    this(machine, name, text, Settings.fromProperties().withCache(Optional.empty()).withFast(true));
  }

  LinkedKernel(String machine, String name, String text, Settings settings) {
    backend = JitBackend.open(machine, settings);
    program = Program.parse(name, text);
    compiled = backend.compile(program);
    root = backend.newDevice(0).context();
    routine = backend.link(root, compiled);
    SplittableRandom random = new SplittableRandom(1);
    for (Node node : program.inputs()) {
      MemorySegment memory = routine.context().buffer(node);
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

  MemorySegment buffer(String node) {
    return routine.context().buffer(program.node(node));
  }

  Node node(String name) {
    return program.node(name);
  }

  double millis() {
    long start = System.nanoTime();
    routine.run();
    routine.context().device().await();
    return (System.nanoTime() - start) / 1e6;
  }

  @Override
  public void close() {
    routine.close();
    routine.context().close();
    root.close();
    compiled.close();
    backend.close();
  }
}
