/** An example of a backend written outside Rialto. */
module dev.rialto.example.socket {
  requires static org.jspecify;
  requires dev.rialto.spi;
}
