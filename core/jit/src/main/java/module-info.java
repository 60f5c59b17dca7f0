/** Array programs, and the way from them to machine code. */
module dev.rialto.jit {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.runtime;
  requires transitive dev.rialto.spi;
  requires jdk.jfr;

  exports dev.rialto.jit;
  exports dev.rialto.jit.kernel;
  exports dev.rialto.jit.library;
  exports dev.rialto.jit.lower;
  exports dev.rialto.jit.run;

  uses dev.rialto.spi.code.CodeTarget;

  provides dev.rialto.spi.code.CodeTarget with
      dev.rialto.jit.run.Interpreter;
}
