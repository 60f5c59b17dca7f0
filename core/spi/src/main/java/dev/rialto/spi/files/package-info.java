/**
 * Files that Rialto writes: whole or not at all, alone ({@link dev.rialto.spi.files.WholeFile}) or
 * by several ranks ({@link dev.rialto.spi.files.JointFile}); what is kept between processes, in a
 * folder that is the user's alone ({@link dev.rialto.spi.files.CacheFolder}); and what is removed
 * at once ({@link dev.rialto.spi.files.ScratchFolder}).
 */
@NullMarked
package dev.rialto.spi.files;

import org.jspecify.annotations.NullMarked;
