package dev.rialto.spi.system;

import java.lang.foreign.SymbolLookup;

/**
 * A library that is loaded into this process, for as long as it lives.
 *
 * @param path its file, or the name under which the system's loader found it
 * @param symbols its functions and variables
 */
public record OpenLibrary(String path, SymbolLookup symbols) {}
