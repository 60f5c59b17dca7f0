/** OpenCL devices through the loader that is installed: memory, streams and kernels. */
module dev.rialto.opencl {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.spi;
  requires jdk.management;

  provides dev.rialto.spi.BackendProvider with
      dev.rialto.opencl.OpenClBackend;
  provides dev.rialto.spi.code.CodeTarget with
      dev.rialto.opencl.OpenClTarget;
}
