/**
 * The contracts a Rialto backend implements, and the values they speak in.
 *
 * <p>Start with {@link dev.rialto.spi.BackendProvider}: it is what {@link java.util.ServiceLoader}
 * finds, and every other interface is reached from it.
 */
module dev.rialto.spi {
  requires static jdk.incubator.vector;
  requires static transitive org.jspecify;
  requires transitive dev.rialto.system;

  exports dev.rialto.spi;
  exports dev.rialto.spi.code;
  exports dev.rialto.spi.comm;
  exports dev.rialto.spi.copy;
  exports dev.rialto.spi.data;
  exports dev.rialto.spi.device;
  exports dev.rialto.spi.error;
  exports dev.rialto.spi.exec;
  exports dev.rialto.spi.fft;
  exports dev.rialto.spi.kernel;
  exports dev.rialto.spi.memory;
  exports dev.rialto.spi.parts;
  exports dev.rialto.spi.parts.messages;
  exports dev.rialto.spi.vector;

  uses dev.rialto.spi.BackendProvider;
}
