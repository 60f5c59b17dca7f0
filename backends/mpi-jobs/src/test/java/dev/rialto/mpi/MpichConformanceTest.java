package dev.rialto.mpi;

import org.junit.jupiter.api.BeforeAll;

/** The kit on MPICH. */
class MpichConformanceTest extends MpiConformance {
  @BeforeAll
  static void choose() {
    choose("mpich");
  }
}
