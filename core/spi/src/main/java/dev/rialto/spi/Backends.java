package dev.rialto.spi;

import dev.rialto.spi.error.BackendException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The backends on the class path and module path.
 *
 * <p>They are loaded once, at first use. A provider that cannot be loaded does not hide the others:
 * {@link #broken} tells of it.
 */
public final class Backends {
  private final Map<String, BackendProvider> byName = new TreeMap<>();
  private final List<String> broken = new ArrayList<>();

  private Backends() {
    var providers = ServiceLoader.load(BackendProvider.class, Backends.class.getClassLoader());
    var iterator = providers.stream().iterator();
    while (true) {
      try {
        if (!iterator.hasNext()) {
          return;
        }
        BackendProvider provider = iterator.next().get();
        BackendProvider other = byName.putIfAbsent(provider.name(), provider);
        if (other != null && other.getClass() != provider.getClass()) {
          broken.add(
              provider.getClass().getName()
                  + ": the name '"
                  + provider.name()
                  + "' is taken by "
                  + other.getClass().getName());
        }
      } catch (ServiceConfigurationError | LinkageError e) {
        broken.add(String.valueOf(e.getMessage()));
      }
    }
  }

  private static final class Holder {
    static final Backends LOADED = new Backends();
  }

  /** Returns all backends, also those that can't be used here, by name. */
  public static List<BackendProvider> all() {
    return List.copyOf(Holder.LOADED.byName.values());
  }

  /** Returns a line for each provider that could not be loaded. */
  public static List<String> broken() {
    return List.copyOf(Holder.LOADED.broken);
  }

  /**
   * Returns a backend that can be used here.
   *
   * @throws BackendException if there is none of that name, with those there are; or it can't be
   *     used, with the reason
   */
  public static BackendProvider get(String name) {
    BackendProvider provider = Holder.LOADED.byName.get(name);
    if (provider == null) {
      throw new BackendException(
          "there is no backend '" + name + "'",
          "",
          "those on the class path are "
              + names()
              + "; add the jar of another to the class path or module path",
          null);
    }
    if (provider.probe() instanceof Probe.Unavailable(String reason, String remedy)) {
      throw new BackendException(
          "backend '" + name + "' cannot be used here: " + reason, "", remedy, null);
    }
    return provider;
  }

  private static String names() {
    return Holder.LOADED.byName.isEmpty()
        ? "none"
        : Holder.LOADED.byName.keySet().stream().collect(Collectors.joining(", "));
  }
}
