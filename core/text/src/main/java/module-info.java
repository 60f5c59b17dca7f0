/** The texts that Rialto programs print and read back: JSON, tables and progress. */
module dev.rialto.text {
  requires static transitive org.jspecify;
  requires jdk.management;

  exports dev.rialto.text;
}
