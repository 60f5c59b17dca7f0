package dev.rialto.cli.option;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.device.Device;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;

/** A backend as if it had one of its devices only. */
public final class OneDevice {
  private final BackendProvider backend;
  private final Device device;

  private OneDevice(BackendProvider backend, Device device) {
    this.backend = backend;
    this.device = device;
  }

  public static BackendProvider of(BackendProvider backend, Device device) {
    OneDevice one = new OneDevice(backend, device);
    return (BackendProvider)
        Proxy.newProxyInstance(
            OneDevice.class.getClassLoader(),
            new Class<?>[] {BackendProvider.class},
            (_, method, arguments) -> one.call(method, arguments));
  }

  private Object call(Method method, Object[] arguments) throws Throwable {
    return switch (method.getName()) {
      case "devices" -> List.of(device);
      case "fftEngine" -> device.fft().orElseGet(backend::fftEngine);
      default -> {
        try {
          yield method.invoke(backend, arguments);
        } catch (InvocationTargetException e) {
          throw e.getCause();
        }
      }
    };
  }
}
