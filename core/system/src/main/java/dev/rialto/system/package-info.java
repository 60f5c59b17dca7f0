/**
 * The differences between systems, processors and JVMs: {@linkplain
 * dev.rialto.system.OperatingSystem which system} this is, where {@linkplain
 * dev.rialto.system.LibrarySearch libraries are found} on it, how wide vectors and how large caches
 * are; and classes, threads and processes of the JVM that are made in an unusual way. Start with
 * {@link dev.rialto.system.InstalledLibrary}, the table of all libraries.
 */
@NullMarked
package dev.rialto.system;

import org.jspecify.annotations.NullMarked;
