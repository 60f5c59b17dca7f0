/** Distributed sparse matrices, vectors and the solvers on them. */
module dev.rialto.sparse {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.array;
  requires transitive dev.rialto.exchange;
  requires transitive dev.rialto.spi;

  exports dev.rialto.sparse;
  exports dev.rialto.sparse.io;
  exports dev.rialto.sparse.local;
  exports dev.rialto.sparse.precond;
  exports dev.rialto.sparse.problem;
  exports dev.rialto.sparse.solve;
}
