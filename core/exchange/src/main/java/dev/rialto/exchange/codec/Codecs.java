package dev.rialto.exchange.codec;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Function;

/** The codecs there are, by name: Rialto's own, then those that are services. */
public final class Codecs {
  /** The name that means no codec. */
  public static final String NONE = "none";

  /** Makes codecs of one name; what a service provides. */
  public interface Provider {
    /** Returns the name in schemes. */
    String name();

    /**
     * Makes a codec.
     *
     * @param bound what follows the colon in a scheme; empty if there is none
     * @throws IllegalArgumentException if the bound is missing or makes no sense
     * @throws UnsupportedOperationException if the codec cannot be used here, with the reason
     */
    Codec make(String bound);
  }

  private static final Map<String, Function<String, Codec>> ALL = load();

  private Codecs() {}

  private static Map<String, Function<String, Codec>> load() {
    Map<String, Function<String, Codec>> all = new LinkedHashMap<>();
    all.put("cast", Cast::of);
    all.put("lz4", Shuffled::lz4);
    all.put("zstd", Shuffled::zstd);
    all.put("zfp", Zfp::of);
    ServiceLoader.load(Provider.class, Codecs.class.getClassLoader())
        .forEach(provider -> all.putIfAbsent(provider.name(), provider::make));
    return all;
  }

  /**
   * Makes a codec from its text in a scheme, such as {@code cast:1e-6}.
   *
   * @throws IllegalArgumentException if there is none of that name, or the bound is wrong
   */
  public static Codec parse(String text) {
    int colon = text.indexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    Function<String, Codec> maker = ALL.get(name);
    if (maker == null) {
      throw new IllegalArgumentException(
          "there is no codec '%s'; those there are: none, %s"
              .formatted(name, String.join(", ", ALL.keySet())));
    }
    return maker.apply(colon < 0 ? "" : text.substring(colon + 1));
  }
}
