/**
 * Files and pictures that other programs read: NumPy's arrays, VTK's images for ParaView, PNG.
 * Start with {@link dev.rialto.io.NpyFile}; a distributed array is read and written by all ranks,
 * each its own part. {@link dev.rialto.io.Plot} and {@link dev.rialto.io.Canvas} draw.
 */
@NullMarked
package dev.rialto.io;

import org.jspecify.annotations.NullMarked;
