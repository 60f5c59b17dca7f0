/**
 * Bodies of kernels as a device calls them: compiled code, and Java with every access checked.
 * Start with {@link dev.rialto.runtime.body.CodeBody}. Launches do not know which one they run.
 */
@NullMarked
package dev.rialto.runtime.body;

import org.jspecify.annotations.NullMarked;
