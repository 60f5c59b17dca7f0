/** The {@code rialto} command. */
module dev.rialto.cli {
  requires static org.jspecify;
  requires dev.rialto.bench;
  requires dev.rialto.runtime;
  requires dev.rialto.exchange;
  requires dev.rialto.fft;
  requires dev.rialto.io;
  requires dev.rialto.sparse;
  requires dev.rialto.jit;
  requires dev.rialto.spi;
  requires dev.rialto.tck;
  requires dev.rialto.text;
  requires info.picocli;
  requires java.compiler;
  requires jdk.incubator.vector;

  opens dev.rialto.cli to
      dev.rialto.text,
      info.picocli;
  opens dev.rialto.cli.doctor to
      dev.rialto.text;
  opens dev.rialto.cli.option to
      info.picocli;
}
