/** Ranks as threads of one JVM. */
module dev.rialto.local {
  requires static transitive org.jspecify;
  requires dev.rialto.cpu;
  requires transitive dev.rialto.spi;
}
