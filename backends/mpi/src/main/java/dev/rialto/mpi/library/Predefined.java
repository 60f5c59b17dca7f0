package dev.rialto.mpi.library;

/** The handles that an MPI library has from the start, as far as they are used here. */
enum Predefined {
  COMM_WORLD("mpi_comm_world", 0x44000000, 0x101),
  COMM_NULL("mpi_comm_null", 0x04000000, 0x100),
  INFO_NULL("mpi_info_null", 0x1c000000, 0x130),
  ERRORS_RETURN("mpi_errors_return", 0x54000001, 0x142),
  BYTE("mpi_byte", 0x4c00010d, 0x247),
  INT8("mpi_int8_t", 0x4c000137, 0x240),
  INT16("mpi_int16_t", 0x4c000238, 0x248),
  INT32("mpi_int32_t", 0x4c000439, 0x250),
  INT64("mpi_int64_t", 0x4c00083a, 0x258),
  FLOAT("mpi_float", 0x4c00040a, 0x210),
  DOUBLE("mpi_double", 0x4c00080b, 0x214),
  FLOAT_COMPLEX("mpi_c_float_complex", 0x4c000840, 0x212),
  DOUBLE_COMPLEX("mpi_c_double_complex", 0x4c001041, 0x216),
  SUM("mpi_op_sum", 0x58000003, 0x21),
  PROD("mpi_op_prod", 0x58000004, 0x24),
  MIN("mpi_op_min", 0x58000002, 0x22),
  MAX("mpi_op_max", 0x58000001, 0x23),
  LAND("mpi_op_land", 0x58000005, 0x30),
  LOR("mpi_op_lor", 0x58000007, 0x31),
  LXOR("mpi_op_lxor", 0x58000009, 0x32),
  BAND("mpi_op_band", 0x58000006, 0x28),
  BOR("mpi_op_bor", 0x58000008, 0x29),
  BXOR("mpi_op_bxor", 0x5800000a, 0x2a),
  REPLACE("mpi_op_replace", 0x5800000d, 0x3c),
  NO_OP("mpi_op_no_op", 0x5800000e, 0x3d);

  /** The name of the variable that it is the address of in Open MPI, after the prefix. */
  final String openMpi;

  /** Its number in MPICH. */
  final long mpich;

  /** Its number in the standard binary interface. */
  final long abi;

  Predefined(String openMpi, long mpich, long abi) {
    this.openMpi = openMpi;
    this.mpich = mpich;
    this.abi = abi;
  }
}
