package dev.rialto.mpi.launch;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that outlives the one that started a job, only to end the job if that one is killed.
 *
 * <p>It reads from a pipe whose other end only the starting process holds. The system closes that
 * end however the process goes; so the guardian needs no polling, and works before the ranks have
 * come as far as Java.
 */
final class Guardian {
  /** Reads the launcher's number, then a last line; without that line it ends the job. */
  private static final String SCRIPT =
      """
      trap '' INT TERM HUP
      read -r launcher || launcher=
      if [ -n "$launcher" ]; then
        read -r farewell && exit 0
        kill -TERM "$launcher"
      fi
      for second in 1 2 3; do
        for file in "$1"/*.pid; do
          [ -r "$file" ] && kill -KILL $(cat "$file")
        done
        [ -n "$launcher" ] && kill -0 "$launcher" || break
        sleep 1
      done
      [ -n "$launcher" ] && kill -KILL "$launcher"
      rm -rf "$1"
      """;

  private final Process process;
  private final OutputStream pipe;

  private Guardian(Process process) {
    this.process = process;
    this.pipe = process.getOutputStream();
  }

  static Guardian start(JobFolder folder) throws IOException {
    List<String> command = new ArrayList<>();
    // In a session of its own, what ends the whole process group does not end it too.
    MpiLauncher.onPath("setsid").ifPresent(command::add);
    command.addAll(List.of("sh", "-c", SCRIPT, "sh", folder.path().toString()));
    return new Guardian(
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  /** Tells which process launches the ranks. */
  void guard(Process launcher) throws IOException {
    say(Long.toString(launcher.pid()));
  }

  /** Tells that the job has ended, and nothing is left of it. */
  void dismiss() {
    try {
      say("farewell");
    } catch (IOException e) {
      // It was killed, and has nothing left to do.
      process.destroyForcibly();
    }
  }

  private void say(String line) throws IOException {
    pipe.write((line + "\n").getBytes(US_ASCII));
    pipe.flush();
  }
}
