/** The {@code rialto} command. */
module dev.rialto.cli {
  requires static jdk.incubator.vector;
  requires static org.jspecify;
  requires dev.rialto.text;
  requires info.picocli;

  opens dev.rialto.cli to
      dev.rialto.text,
      info.picocli;
}
