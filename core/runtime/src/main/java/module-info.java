/** Devices, streams, buffers and pools behind one compute client. */
module dev.rialto.runtime {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.spi;
  requires transitive dev.rialto.text;
  requires transitive jdk.jfr;

  exports dev.rialto.runtime;
  exports dev.rialto.runtime.limits;
  exports dev.rialto.runtime.memory;
  exports dev.rialto.runtime.ranks;
  exports dev.rialto.runtime.trace;
}
