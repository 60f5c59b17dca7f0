/** Fourier transforms of arrays that are distributed over ranks. */
module dev.rialto.fft {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.spi;
  requires transitive dev.rialto.array;
  requires transitive dev.rialto.exchange;

  exports dev.rialto.fft;
}
