package dev.rialto.cli;

import java.nio.file.Path;

/** A command that writes a trace and a page about the run without being asked to. */
interface AlwaysRecorded {
  /** Refuses wrong options, before a file is made. */
  void check();

  /** Returns the file of the trace unless {@code --trace} says. */
  Path defaultTrace();

  /** Returns the file of the page unless {@code --report} says. */
  Path defaultReport();
}
