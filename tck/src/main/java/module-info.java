/** The conformance kit that proves a backend right. */
module dev.rialto.tck {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.spi;
  requires transitive org.junit.jupiter.api;
  requires dev.rialto.text;
  requires java.management;
  requires org.junit.jupiter.engine;
  requires org.junit.platform.launcher;
  requires org.opentest4j;

  exports dev.rialto.tck;

  uses dev.rialto.tck.SampleKernels;

  // JUnit finds the suite by reflection, and JSON is written from records.
  opens dev.rialto.tck to
      dev.rialto.text,
      org.junit.platform.commons;
  opens dev.rialto.tck.run to
      dev.rialto.text;
}
