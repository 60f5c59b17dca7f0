package dev.rialto.local.rank;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Access to a field that several threads use without a lock. */
public final class LongField {
  private LongField() {}

  /** Returns the handle of a field of type {@code long} of the class that looks it up. */
  public static VarHandle of(MethodHandles.Lookup lookup, String name) {
    try {
      return lookup.findVarHandle(lookup.lookupClass(), name, long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
