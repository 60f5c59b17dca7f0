/**
 * All of Rialto behind one name: requiring this module gives every public package, and puts every
 * backend where they are looked for.
 */
module dev.rialto {
  requires transitive dev.rialto.array;
  requires transitive dev.rialto.exchange;
  requires transitive dev.rialto.fft;
  requires transitive dev.rialto.io;
  requires transitive dev.rialto.jit;
  requires transitive dev.rialto.runtime;
  requires transitive dev.rialto.sparse;
  requires transitive dev.rialto.spi;
  requires dev.rialto.cpu;
  requires dev.rialto.cuda;
  requires dev.rialto.fftw;
  requires dev.rialto.local;
  requires dev.rialto.mpi;
  requires dev.rialto.natives;
  requires dev.rialto.opencl;
}
