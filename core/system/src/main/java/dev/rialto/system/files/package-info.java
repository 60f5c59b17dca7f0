/**
 * Files that Rialto writes: whole or not at all ({@link dev.rialto.system.files.WholeFile}); what
 * is kept between processes, in a folder that is the user's alone ({@link
 * dev.rialto.system.files.CacheFolder}); and what is removed at once ({@link
 * dev.rialto.system.files.ScratchFolder}).
 */
@NullMarked
package dev.rialto.system.files;

import org.jspecify.annotations.NullMarked;
