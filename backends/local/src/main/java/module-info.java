/** Ranks as threads of one JVM. */
module dev.rialto.local {
  requires static org.jspecify;
  requires dev.rialto.cpu;
  requires dev.rialto.spi;
}
