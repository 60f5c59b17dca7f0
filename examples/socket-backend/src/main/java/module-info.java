/** An example of a backend written outside Rialto. */
module dev.rialto.example.socket {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.spi;
}
