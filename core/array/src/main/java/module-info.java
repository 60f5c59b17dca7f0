/** Arrays divided among ranks, and algorithms on them. */
module dev.rialto.array {
  requires static transitive org.jspecify;
  requires dev.rialto.system;
  requires jdk.jfr;
  requires transitive dev.rialto.exchange;
  requires transitive dev.rialto.jit;
  requires transitive dev.rialto.runtime;
  requires transitive dev.rialto.spi;

  exports dev.rialto.array;
}
