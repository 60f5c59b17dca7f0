/**
 * The language of kernels against C, CUDA and plain Java. Start with {@link
 * dev.rialto.bench.language.LanguageSuite}.
 */
@NullMarked
package dev.rialto.bench.language;

import org.jspecify.annotations.NullMarked;
