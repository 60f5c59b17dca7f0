package dev.rialto.spi;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Starts a program as several ranks, each in a process of its own. */
public interface RankLauncher {
  /** Returns whether this process was started by such a launcher, and so is a rank. */
  boolean launched();

  /** Returns this process's rank among those launched together; 0 if it was not launched. */
  int rank();

  /**
   * Starts {@code ranks} processes that run {@code command}, in which {@link
   * BackendProvider#openWorld openWorld(0)} joins them into one world.
   *
   * <p>Output and errors are inherited. When one rank ends badly the others are ended, within
   * seconds; when this process ends, also when it is killed, all are.
   *
   * @param ranks how many, from 1
   * @param command the program and its arguments, such as {@code java -jar …}
   * @param environment added to this process's own
   * @return the process to wait for; its exit code is 0 if all ranks' were, else a failed rank's
   * @throws IllegalArgumentException if {@code ranks} is not positive
   */
  Process launch(int ranks, List<String> command, Map<String, String> environment)
      throws IOException;
}
