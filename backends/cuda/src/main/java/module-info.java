/** NVIDIA GPUs through the driver that is installed: memory, streams, kernels and transforms. */
module dev.rialto.cuda {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.spi;
  requires jdk.management;

  provides dev.rialto.spi.BackendProvider with
      dev.rialto.cuda.CudaBackend;
  provides dev.rialto.spi.code.CodeTarget with
      dev.rialto.cuda.CudaTarget;
}
