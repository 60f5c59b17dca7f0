package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A backend whose every call passes through an {@link Interceptor}: how the kit injects faults and
 * how a backend is broken on purpose to see that the kit notices.
 *
 * <p>Everything that is reached from the backend is intercepted too, down to requests and events:
 * what a call returns is wrapped, what is given back to the backend is unwrapped. The same object
 * always gets the same wrapper.
 */
public final class Intercepted {
  /** Sees each call and decides what becomes of it. */
  @FunctionalInterface
  public interface Interceptor {
    /** Returns the call's result, usually that of {@link Call#proceed}. */
    @Nullable Object intercept(Call call) throws Throwable;
  }

  /**
   * A call of a method of the SPI.
   *
   * @param target the object behind the wrapper
   * @param method the interface's method
   * @param arguments the arguments, unwrapped; may be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // Lives for one call; never compared.
  public record Call(Object target, Method method, Object[] arguments) {
    /** Returns whether this calls the named method of {@code type}. */
    public boolean is(Class<?> type, String name) {
      return type.isInstance(target) && method.getName().equals(name);
    }

    /** Returns one of the arguments. */
    public <T> T argument(int index, Class<T> type) {
      return type.cast(arguments[index]);
    }

    /** Does what was asked and returns what comes of it. */
    public @Nullable Object proceed() throws Throwable {
      try {
        return method.invoke(target, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }

  private static final String SPI = BackendProvider.class.getPackageName();

  private final Interceptor interceptor;
  private final Map<Object, WeakReference<Object>> wrappers =
      Collections.synchronizedMap(new WeakHashMap<>());

  private Intercepted(Interceptor interceptor) {
    this.interceptor = interceptor;
  }

  /** Makes a backend that passes each call to {@code interceptor}. */
  public static BackendProvider of(BackendProvider backend, Interceptor interceptor) {
    return (BackendProvider) new Intercepted(interceptor).wrap(backend);
  }

  private Object wrap(Object value) {
    return switch (value) {
      case List<?> list -> list.stream().map(this::wrap).toList();
      case Optional<?> optional -> optional.map(this::wrap);
      default -> {
        Set<Class<?>> interfaces = new LinkedHashSet<>();
        collect(value.getClass(), interfaces);
        yield interfaces.isEmpty() ? value : wrapper(value, interfaces);
      }
    };
  }

  private Object wrapper(Object value, Set<Class<?>> interfaces) {
    synchronized (wrappers) {
      WeakReference<Object> known = wrappers.get(value);
      Object wrapper = known == null ? null : known.get();
      if (wrapper == null) {
        wrapper =
            Proxy.newProxyInstance(
                BackendProvider.class.getClassLoader(),
                interfaces.toArray(Class<?>[]::new),
                new Wrapper(value));
        wrappers.put(value, new WeakReference<>(wrapper));
      }
      return wrapper;
    }
  }

  /** Finds the interfaces of the SPI that backends implement; values of it are sealed or final. */
  private static void collect(@Nullable Class<?> type, Set<Class<?>> interfaces) {
    if (type == null) {
      return;
    }
    if (type.isInterface() && type.getName().startsWith(SPI) && !type.isSealed()) {
      interfaces.add(type);
    }
    collect(type.getSuperclass(), interfaces);
    for (Class<?> parent : type.getInterfaces()) {
      collect(parent, interfaces);
    }
  }

  private Object unwrap(Object argument) {
    return switch (argument) {
      case List<?> list -> list.stream().map(this::unwrap).toList();
      case World.RankBody body -> (World.RankBody) comm -> body.run((Communicator) wrap(comm));
      case World.RankFunction<?> function ->
          (World.RankFunction<?>) comm -> function.run((Communicator) wrap(comm));
      default -> target(argument);
    };
  }

  private static Object target(Object value) {
    return Proxy.isProxyClass(value.getClass())
            && Proxy.getInvocationHandler(value) instanceof Wrapper wrapper
        ? wrapper.target
        : value;
  }

  private final class Wrapper implements InvocationHandler {
    private final Object target;

    Wrapper(Object target) {
      this.target = target;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      Object[] given = arguments == null ? new Object[0] : arguments;
      for (int i = 0; i < given.length; i++) {
        given[i] = unwrap(given[i]);
      }
      Call call = new Call(target, method, given);
      Object result =
          method.getDeclaringClass() == Object.class ? call.proceed() : interceptor.intercept(call);
      return result == null ? null : wrap(result);
    }
  }
}
