/** Measurements of Rialto against its peers and the machine's floors. */
module dev.rialto.bench {
  requires static transitive org.jspecify;
  requires static jdk.incubator.vector;
  requires transitive dev.rialto.spi;
  requires dev.rialto.runtime;
  requires dev.rialto.array;
  requires dev.rialto.exchange;
  requires dev.rialto.fft;
  requires dev.rialto.sparse;
  requires dev.rialto.jit;
  requires dev.rialto.text;
  requires jdk.management;

  exports dev.rialto.bench;
}
