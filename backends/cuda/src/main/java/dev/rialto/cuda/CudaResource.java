package dev.rialto.cuda;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Texts in CUDA C++ that lie beside the classes. */
public final class CudaResource {
  private CudaResource() {}

  public static String read(String name) {
    try (InputStream in = CudaResource.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is not beside " + CudaResource.class);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(name + " cannot be read", e);
    }
  }
}
