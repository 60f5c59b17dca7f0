/** Measurements of Rialto against its peers and the machine's floors. */
module dev.rialto.bench {
  requires static transitive org.jspecify;
  requires dev.rialto.cpu;
  requires dev.rialto.local;
  requires transitive dev.rialto.spi;
  requires dev.rialto.text;
}
