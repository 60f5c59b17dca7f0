/** Ranks as processes, linked by the MPI library that is installed. */
module dev.rialto.mpi {
  requires static transitive org.jspecify;
  requires transitive dev.rialto.spi;
  requires java.management;

  exports dev.rialto.mpi;

  provides dev.rialto.spi.BackendProvider with
      dev.rialto.mpi.MpiBackend;
}
