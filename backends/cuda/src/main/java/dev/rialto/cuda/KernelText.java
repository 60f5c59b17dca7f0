package dev.rialto.cuda;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The kernels that one text defines, each compiled when it is first launched; they stay. */
final class KernelText {
  private final CudaCompiler compiler;
  private final String source;
  private final ConcurrentMap<String, LoadedKernel> loaded = new ConcurrentHashMap<>();

  KernelText(CudaCompiler compiler, String source) {
    this.compiler = compiler;
    this.source = source;
  }

  LoadedKernel get(String name) {
    return loaded.computeIfAbsent(name, wanted -> compiler.load(wanted, source, false));
  }
}
