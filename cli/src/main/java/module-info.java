/** The {@code rialto} command. */
module dev.rialto.cli {
  requires static org.jspecify;
  requires dev.rialto.text;
  requires info.picocli;

  opens dev.rialto.cli to
      info.picocli;
}
