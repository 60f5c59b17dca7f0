/* PETSc on the same matrix as Rialto's sparse suite: prints "case milliseconds". */
#include <petscksp.h>
#include <stdlib.h>

static double boundary(const double *at) {
  if (at[0] == 1) return 1;
  return at[0] == 0 ? PetscExpReal(at[1] * at[1] - at[2] * at[2]) : 0;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(double *times, int n) {
  qsort(times, n, sizeof(double), ascending);
  return times[n / 2];
}

/* Milliseconds per iteration of 60 iterations that cannot converge. */
static PetscErrorCode solve(Mat a, Vec b, Vec x, const char *pc, double *result) {
  KSP ksp;
  PC preconditioner;
  double times[3];
  PetscInt iterations;
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, a, a));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &preconditioner));
  PetscCall(PCSetType(preconditioner, pc));
  PetscCall(KSPSetTolerances(ksp, 1e-50, 1e-50, PETSC_DEFAULT, 60));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  for (int i = 0; i < 3; i++) {
    PetscCall(VecSet(x, 0));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    double start = MPI_Wtime();
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    times[i] = 1e3 * (MPI_Wtime() - start) / iterations;
  }
  *result = median(times, 3);
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  Mat a;
  Vec x, y, b;
  PetscInt n = argc > 1 ? atoi(argv[1]) : 100, from, to;
  int rank;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscInt size = n * n * n, stride[3] = {n * n, n, 1};
  double h = 1.0 / (n + 1), value = -1.0 / 80 / (h * h);
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, size, size, 7, NULL, 1, NULL, &a));
  PetscCall(MatCreateVecs(a, &x, &y));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(MatGetOwnershipRange(a, &from, &to));
  for (PetscInt row = from; row < to; row++) {
    PetscInt point[3] = {row / (n * n), row / n % n, row % n};
    double right = 0;
    for (int axis = 0; axis < 3; axis++) {
      for (int side = -1; side <= 1; side += 2) {
        PetscInt neighbour = point[axis] + side;
        if (neighbour < 0 || neighbour >= n) {
          double at[3] = {point[0] * h, point[1] * h, point[2] * h};
          at[axis] = neighbour < 0 ? 0 : 1;
          right -= value * boundary(at);
        } else {
          PetscCall(MatSetValue(a, row, row + side * stride[axis], value, INSERT_VALUES));
        }
      }
    }
    PetscCall(MatSetValue(a, row, row, -6 * value, INSERT_VALUES));
    PetscCall(VecSetValue(b, row, right, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  double times[40];
  for (int i = 0; i < 40; i++) {
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    double start = MPI_Wtime();
    PetscCall(MatMult(a, b, y));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    times[i] = 1e3 * (MPI_Wtime() - start);
  }
  double spmv = median(times, 40), cg, ilu;
  PetscCall(solve(a, b, x, PCNONE, &cg));
  PetscCall(solve(a, b, x, PCBJACOBI, &ilu));
  if (rank == 0) printf("spmv %.6f\ncg %.6f\ncg-ilu0 %.6f\n", spmv, cg, ilu);
  PetscCall(MatDestroy(&a));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&b));
  PetscCall(PetscFinalize());
  return 0;
}
