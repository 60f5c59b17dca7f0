/** Measurements of Rialto against its peers and the machine's floors. */
module dev.rialto.bench {
  requires static org.jspecify;
  requires dev.rialto.cpu;
  requires dev.rialto.local;
  requires dev.rialto.spi;
  requires dev.rialto.text;
}
