#!/bin/sh
#SBATCH --job-name=rialto
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=32
#SBATCH --cpus-per-task=1
#SBATCH --time=00:10:00

# The unpacked image on a disk that all machines see; no Java is installed on them.
export PATH="$HOME/rialto/bin:$PATH"
export RIALTO_MPI=openmpi
srun --mpi=pmix rialto solve poisson3d:200 --json
