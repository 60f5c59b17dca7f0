/**
 * Class files: the method behind a lambda, its control flow, and the tables that static
 * initialisers fill. Start with {@link dev.rialto.jit.lift.classfile.ClassFiles}. Nothing here
 * knows kernels.
 */
@NullMarked
package dev.rialto.jit.lift.classfile;

import org.jspecify.annotations.NullMarked;
