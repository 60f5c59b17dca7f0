/** Transforms by the FFTW library that is installed. */
module dev.rialto.fftw {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.spi;

  exports dev.rialto.fftw;

  provides dev.rialto.spi.BackendProvider with
      dev.rialto.fftw.FftwBackend;
}
