package dev.rialto.mpi;

import org.junit.jupiter.api.BeforeAll;

/** The kit on Open MPI. */
class OpenMpiConformanceTest extends MpiConformance {
  @BeforeAll
  static void choose() {
    choose("openmpi");
  }
}
