package dev.rialto.sparse.device;

import dev.rialto.array.Array;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Resource;
import dev.rialto.spi.exec.Stream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The arrays of a device that its sparse stream has for itself: their memory is the runtime's,
 * whose other streams wait for it. A product inside a solve finds the solve's arrays here and does
 * not wait; the one that took an array first gives it back.
 */
public final class ArrayLoans implements AutoCloseable {
  private final Stream stream;
  private final Map<Array, Resource> all;
  private final Set<Array> taken = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Begins with none. */
  public ArrayLoans(Stream stream) {
    this(stream, new IdentityHashMap<>());
  }

  private ArrayLoans(Stream stream, Map<Array, Resource> all) {
    this.stream = stream;
    this.all = all;
  }

  /** Begins to take arrays, which go back when the result is closed. */
  public ArrayLoans open() {
    return new ArrayLoans(stream, all);
  }

  /**
   * Returns the address of an array's memory.
   *
   * @param reads whether its elements are read, so that they must have been computed
   */
  public long address(Array array, boolean reads) {
    Resource known = all.get(array);
    if (known == null) {
      known = borrow(array, reads);
      all.put(array, known);
      taken.add(array);
    }
    return known.segment().address();
  }

  private static Resource borrow(Array array, boolean reads) {
    ComputeClient client = array.space().client();
    if (reads) {
      // Throws what made the elements undefined, if something did.
      client.resource(array.buffer(), false).close();
    }
    return client.resource(array.buffer(), true);
  }

  /** Gives an array back, if it was taken here. */
  public void giveBack(Array array) {
    Resource lent = taken.remove(array) ? all.remove(array) : null;
    if (lent != null) {
      stream.await();
      lent.close();
    }
  }

  /** Gives all arrays of the device back, does something, and takes them again. */
  public void suspended(Runnable work) {
    List<Array> arrays = new ArrayList<>(all.keySet());
    stream.await();
    all.values().forEach(Resource::close);
    all.clear();
    try {
      work.run();
    } finally {
      arrays.forEach(array -> all.put(array, borrow(array, false)));
    }
  }

  @Override
  public void close() {
    if (taken.isEmpty()) {
      return;
    }
    try {
      stream.await();
    } finally {
      for (Array array : taken) {
        Resource lent = all.remove(array);
        if (lent != null) {
          lent.close();
        }
      }
      taken.clear();
    }
  }
}
