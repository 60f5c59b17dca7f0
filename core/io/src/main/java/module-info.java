/** Files and pictures that other programs read. */
module dev.rialto.io {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.array;
  requires transitive dev.rialto.exchange;
  requires transitive dev.rialto.spi;

  exports dev.rialto.io;
}
