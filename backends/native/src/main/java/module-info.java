/** Machine code by the C compiler that is installed. */
module dev.rialto.natives {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.spi;

  provides dev.rialto.spi.code.CodeTarget with
      dev.rialto.natives.CcTarget,
      dev.rialto.natives.GccJitTarget;
}
