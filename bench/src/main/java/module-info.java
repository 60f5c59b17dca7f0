/** Measurements of Rialto against its peers and the machine's floors. */
// A peer that has no module descriptor; its name comes from its file.
@SuppressWarnings("requires-automatic")
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
  requires JTransforms;
  requires jdk.management;

  exports dev.rialto.bench;
}
