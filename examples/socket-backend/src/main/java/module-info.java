/** An example of a backend written outside Rialto. */
module dev.rialto.example.socket {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.spi;

  exports dev.rialto.example.socket;

  provides dev.rialto.spi.BackendProvider with
      dev.rialto.example.socket.SocketBackend;
}
