/** Every movement of distributed data between ranks. */
// The compression library has no module descriptor; its name comes from its file.
@SuppressWarnings("requires-automatic")
module dev.rialto.exchange {
  requires static transitive org.jspecify;
  requires aircompressor.v3;
  requires jdk.jfr;
  requires jdk.unsupported;
  requires transitive dev.rialto.runtime;
  requires transitive dev.rialto.spi;

  exports dev.rialto.exchange;
  exports dev.rialto.exchange.codec;
  exports dev.rialto.exchange.kernel;
  exports dev.rialto.exchange.plan;
  exports dev.rialto.exchange.transport;
  exports dev.rialto.exchange.tune;

  uses dev.rialto.exchange.codec.Codecs.Provider;
  uses dev.rialto.exchange.transport.Transport;
}
