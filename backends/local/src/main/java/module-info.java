/** Ranks as threads of one JVM. */
module dev.rialto.local {
  requires static transitive org.jspecify;
  requires dev.rialto.cpu;
  requires transitive dev.rialto.spi;

  exports dev.rialto.local;

  provides dev.rialto.spi.BackendProvider with
      dev.rialto.local.LocalBackend;
}
