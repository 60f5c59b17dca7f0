/** The conformance kit that proves a backend right. */
module dev.rialto.tck {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.spi;
  requires transitive org.junit.jupiter.api;
  requires dev.rialto.text;
  requires org.junit.jupiter.params;
  requires org.junit.platform.launcher;
}
