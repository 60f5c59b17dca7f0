package dev.rialto.mpi.watch;

/**
 * A call that waits for other ranks.
 *
 * @param thread which thread waits
 * @param operation for what
 * @param communicator among whom
 * @param peer the rank of the job that alone can end it; -1 if that is not known
 * @param closing whether something is closed by it; then its thread may be on its way out after a
 *     failure that no other rank knows of
 * @param inLibrary whether the thread waits inside of the library, from where nothing but the end
 *     of the process can take it
 */
public record Wait(
    Thread thread,
    MpiCall operation,
    String communicator,
    int peer,
    boolean closing,
    boolean inLibrary) {

  /** Says what is waited for, and where in the user's code. */
  String describe() {
    return "waits for " + operation + " in " + communicator + ", " + place();
  }

  private String place() {
    for (StackTraceElement frame : thread.getStackTrace()) {
      String type = frame.getClassName();
      boolean ours = type.matches("dev[.]rialto[.](mpi|spi|system)[.].*");
      boolean library = type.startsWith("java.") || type.startsWith("jdk.");
      if (!ours && !library) {
        return "at " + frame;
      }
    }
    return "at an unknown place";
  }
}
