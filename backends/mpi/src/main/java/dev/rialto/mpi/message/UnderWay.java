package dev.rialto.mpi.message;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The requests that the library works on. A caller may drop one without awaiting it: its memory, if
 * it is the garbage collector's to free, must stay until the library is done with it.
 */
public final class UnderWay {
  private @Nullable MpiRequest[] requests = new MpiRequest[64];
  private int count;

  /** Adds a request, which must not be in it. */
  synchronized void add(MpiRequest request) {
    if (count == requests.length) {
      requests = Arrays.copyOf(requests, 2 * count);
    }
    request.place = count;
    requests[count++] = request;
  }

  /** Removes a request, which must be in it; the last one takes its place. */
  synchronized void remove(MpiRequest request) {
    MpiRequest last = requireNonNull(requests[--count]);
    last.place = request.place;
    requests[request.place] = last;
    requests[count] = null;
  }
}
