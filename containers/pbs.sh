#!/bin/sh
#PBS -N rialto
#PBS -l select=4:ncpus=32:mpiprocs=32
#PBS -l walltime=00:10:00

cd "$PBS_O_WORKDIR" || exit 1
export PATH="$HOME/rialto/bin:$PATH"
# mpirun reads the machines from PBS, or from the file that PBS names.
RIALTO_MPI_OPTIONS="--hostfile $PBS_NODEFILE" rialto solve poisson3d:200 --comm mpi --ranks 128 --json
