package dev.rialto.bench.language;

import dev.rialto.bench.Peer;
import dev.rialto.jit.kernel.Checks;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.library.KernelLibrary;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Kernel;
import dev.rialto.runtime.Launch;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import dev.rialto.spi.kernel.LoweredKernel.Source;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A case on one target, or its peer, with memory of its own. */
public interface LanguageContender extends AutoCloseable {
  /** Runs it and returns the milliseconds of one run. */
  double millis();

  /** Runs it once on the first numbers and returns the results. */
  List<MemorySegment> results();

  @Override
  void close();

  /** A case in Java. */
  static LanguageContender java(LanguageCase each, JavaKernels kernels, int repeat) {
    ComputeClient client = kernels.client();
    long[] extents =
        IntStream.range(0, each.block().rank()).mapToLong(each.block()::extent).toArray();
    JavaKernel kernel =
        kernels.withBlock(extents).withFast(true).withChecks(Checks.NONE).compile(each.body());
    List<Buffer> buffers = new ArrayList<>();
    Object[] passed =
        each.arguments().stream()
            .map(
                argument -> {
                  if (argument instanceof Number) {
                    return argument;
                  }
                  buffers.add(client.create(LanguageCase.memory(argument)));
                  return buffers.getLast();
                })
            .toArray();
    JavaKernel.Prepared launch = kernel.prepare(each.items(), passed);
    return new OnDevice(
        each,
        client,
        buffers,
        repeat,
        launch::run,
        () -> {
          launch.close();
          kernel.close();
        });
  }

  /** The product of two square matrices by the library. */
  static LanguageContender library(LanguageCase each, JavaKernels kernels, int repeat) {
    ComputeClient client = kernels.client();
    KernelLibrary library = KernelLibrary.on(kernels);
    List<Buffer> buffers = new ArrayList<>();
    List<Tensor> matrices = new ArrayList<>();
    for (Object argument : each.arguments()) {
      buffers.add(client.create(LanguageCase.memory(argument)));
      matrices.add(
          new Tensor(
              buffers.getLast(), each.items(), Layout.contiguous(DType.F32, each.items().count())));
    }
    return new OnDevice(
        each,
        client,
        buffers,
        repeat,
        () -> library.product(matrices.get(0), matrices.get(1), matrices.get(2)),
        library::close);
  }

  /** A peer in a device's own language: {@code cuda} or {@code opencl-c}. */
  static LanguageContender byHand(
      LanguageCase each, ComputeClient client, String language, boolean gpu, int repeat) {
    List<Buffer> buffers = new ArrayList<>();
    List<Parameter> parameters = new ArrayList<>();
    for (Object argument : each.arguments()) {
      MemorySegment memory = LanguageCase.memory(argument);
      boolean result = buffers.size() < each.results();
      parameters.add(
          new Parameter("p" + buffers.size(), DType.I8, result ? Access.READ_WRITE : Access.READ));
      buffers.add(client.create(memory));
    }
    StringBuilder text = new StringBuilder();
    LanguageCase.constants(gpu)
        .forEach((name, value) -> text.append("#define %s %d\n".formatted(name, value)));
    text.append(Peer.source("language_peer_device.c"));
    Kernel kernel = client.compile(new Source(each.name(), parameters, language, text.toString()));
    Launch launch = client.prepare(kernel, threads(each), buffers.toArray(Buffer[]::new));
    return new OnDevice(each, client, buffers, repeat, launch::run, kernel::close);
  }

  /** Threads in blocks of 256, as many as the case has, those at the ends included. */
  private static long threads(LanguageCase each) {
    long blocks = 1;
    for (int axis = 0; axis < each.block().rank(); axis++) {
      blocks *= (each.items().extent(axis) - 1) / each.block().extent(axis) + 1;
    }
    return blocks * LanguageKernels.BLOCK;
  }

  /** A launch on a device. */
  record OnDevice(
      LanguageCase each,
      ComputeClient client,
      List<Buffer> buffers,
      int repeat,
      Runnable launch,
      Runnable end)
      implements LanguageContender {
    @Override
    public double millis() {
      client.sync();
      long start = System.nanoTime();
      for (int i = 0; i < repeat; i++) {
        launch.run();
      }
      client.sync();
      return (System.nanoTime() - start) / 1e6 / repeat;
    }

    @Override
    public List<MemorySegment> results() {
      for (int i = 0; i < each.results(); i++) {
        client.write(buffers.get(i), LanguageCase.memory(each.arguments().get(i)));
      }
      launch.run();
      return buffers.subList(0, each.results()).stream().map(client::read).toList();
    }

    @Override
    public void close() {
      client.sync();
      end.run();
      buffers.forEach(Buffer::close);
    }
  }
}
