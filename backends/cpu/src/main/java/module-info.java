/** The backend that every machine has: host memory, threads and SIMD kernels. */
module dev.rialto.cpu {
  requires static transitive org.jspecify;
  requires static jdk.incubator.vector;
  requires jdk.management;
  requires transitive dev.rialto.spi;

  exports dev.rialto.cpu.simd;

  provides dev.rialto.spi.BackendProvider with
      dev.rialto.cpu.CpuBackend;
  provides dev.rialto.spi.code.CodeTarget with
      dev.rialto.cpu.code.JvmTarget;
}
