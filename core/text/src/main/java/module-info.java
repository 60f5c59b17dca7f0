/** What Rialto programs print and read back: JSON, tables and progress. */
module dev.rialto.text {
  requires static org.jspecify;

  exports dev.rialto.text;
}
