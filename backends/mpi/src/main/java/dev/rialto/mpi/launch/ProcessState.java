package dev.rialto.mpi.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The state of a process as the system tells it. Java takes a process that was killed for alive
 * until its parent asks for its exit code, and Hydra's proxy does that only when something else
 * happens to it, which may be never.
 */
enum ProcessState {
  RUNNING,
  STOPPED,
  ENDED;

  static ProcessState of(ProcessHandle process) {
    if (!process.isAlive()) {
      return ENDED;
    }
    Path file = Path.of("/proc", Long.toString(process.pid()), "stat");
    try {
      // The name before the state is in brackets, and may hold any.
      String line = Files.readString(file, US_ASCII);
      return switch (line.charAt(line.lastIndexOf(')') + 2)) {
        case 'T' -> STOPPED;
        case 'Z', 'X' -> ENDED;
        default -> RUNNING;
      };
    } catch (IOException e) {
      return process.isAlive() ? RUNNING : ENDED; // This system does not tell, or it has gone.
    }
  }

  static boolean hasEnded(ProcessHandle process) {
    return of(process) == ENDED;
  }
}
