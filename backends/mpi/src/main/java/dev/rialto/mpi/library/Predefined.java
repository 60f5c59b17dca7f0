package dev.rialto.mpi.library;

/** The handles that an MPI library has from the start, as far as they are used here. */
enum Predefined {
  COMM_WORLD,
  COMM_NULL,
  REQUEST_NULL,
  INFO_NULL,
  ERRORS_RETURN,

  BYTE,
  INT8,
  INT16,
  INT32,
  INT64,
  FLOAT,
  DOUBLE,
  FLOAT_COMPLEX,
  DOUBLE_COMPLEX,

  SUM,
  PROD,
  MIN,
  MAX,
  LAND,
  LOR,
  LXOR,
  BAND,
  BOR,
  BXOR,
  REPLACE,
  NO_OP
}
