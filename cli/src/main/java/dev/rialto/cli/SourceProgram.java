package dev.rialto.cli;

import dev.rialto.cli.option.CommandFailure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serial;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * A program in one source file, compiled in memory against what this process runs with.
 *
 * <p>As with Java's own launcher, the first class of the file is started, and its {@code main} may
 * be one of an instance and may have no parameter.
 */
final class SourceProgram {
  /** The compiler's messages. */
  static final class CompileException extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    private CompileException(String message) {
      super(message);
    }
  }

  private final Method main;

  private SourceProgram(Method main) {
    this.main = main;
  }

  static SourceProgram compile(Path file) throws IOException, CompileException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw CommandFailure.failed(
          "This Java has no compiler.", "Run with a JDK that has the module jdk.compiler.");
    }
    StringWriter words = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        Classes classes = new Classes(files)) {
      boolean compiled =
          compiler
              .getTask(words, classes, null, options(), null, files.getJavaFileObjects(file))
              .call();
      if (!compiled) {
        throw new CompileException(words.toString());
      }
      Loader loader = new Loader(classes.bytes());
      for (String name : classes.names()) {
        Optional<Method> found = main(loader.loadClass(name));
        if (found.isPresent()) {
          return new SourceProgram(found.get());
        }
      }
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
    throw CommandFailure.usage(
        file + " has no class with a main method.", "Give one 'static void main(String[] args)'.");
  }

  /** Sees what this process sees. */
  private static List<String> options() {
    List<String> options =
        new ArrayList<>(List.of("-g", "-proc:none", "-Xlint:-options", "-nowarn"));
    String classes = System.getProperty("java.class.path", "");
    options.addAll(List.of("--class-path", classes));
    if (ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()) {
      options.addAll(List.of("--add-modules", "jdk.incubator.vector"));
    }
    return options;
  }

  private static Optional<Method> main(Class<?> type) {
    Optional<Method> plain = Optional.empty();
    for (Method method : type.getDeclaredMethods()) {
      if (method.getName().equals("main") && !Modifier.isPrivate(method.getModifiers())) {
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length == 1 && parameters[0] == String[].class) {
          return Optional.of(method);
        }
        if (parameters.length == 0) {
          plain = Optional.of(method);
        }
      }
    }
    return plain;
  }

  /**
   * Runs the program.
   *
   * @throws InvocationTargetException if it throws
   */
  void run(List<String> arguments) throws InvocationTargetException {
    try {
      main.setAccessible(true);
      Object instance = null;
      if (!Modifier.isStatic(main.getModifiers())) {
        Constructor<?> constructor = main.getDeclaringClass().getDeclaredConstructor();
        constructor.setAccessible(true);
        instance = constructor.newInstance();
      }
      // The program's classes are found where it looks for them, such as by services.
      Thread.currentThread().setContextClassLoader(main.getDeclaringClass().getClassLoader());
      if (main.getParameterCount() == 0) {
        main.invoke(instance);
      } else {
        main.invoke(instance, (Object) arguments.toArray(String[]::new));
      }
    } catch (IllegalAccessException | InstantiationException | NoSuchMethodException e) {
      throw CommandFailure.usage(
          main.getDeclaringClass().getName() + " cannot be started: " + e.getMessage() + ".",
          "Give its main method as 'static void main(String[] args)'.");
    }
  }

  /** Returns the frames of what a program threw, without those that started it. */
  static StackTraceElement[] framesOf(Throwable thrown) {
    return Arrays.stream(thrown.getStackTrace())
        .takeWhile(frame -> !frame.getClassName().startsWith("jdk.internal.reflect."))
        .toArray(StackTraceElement[]::new);
  }

  /** Keeps what the compiler makes. */
  private static final class Classes extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> made = new LinkedHashMap<>();

    Classes(JavaFileManager files) {
      super(files);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      made.put(name, bytes);
      return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/')), kind) {
        @Override
        public OutputStream openOutputStream() {
          return bytes;
        }
      };
    }

    /** Top-level classes first, in the order of the file. */
    List<String> names() {
      List<String> names = new ArrayList<>(made.keySet());
      names.removeIf(name -> name.contains("$"));
      return names;
    }

    Map<String, byte[]> bytes() {
      Map<String, byte[]> all = new LinkedHashMap<>();
      made.forEach((name, bytes) -> all.put(name, bytes.toByteArray()));
      return all;
    }
  }

  /** Loads what was compiled. */
  private static final class Loader extends ClassLoader {
    private final Map<String, byte[]> classes;

    Loader(Map<String, byte[]> classes) {
      super(SourceProgram.class.getClassLoader());
      this.classes = classes;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      byte[] bytes = classes.get(name);
      if (bytes == null) {
        throw new ClassNotFoundException(name);
      }
      return defineClass(name, bytes, 0, bytes.length);
    }

    /** Gives class files out too: kernels are read from them. */
    @Override
    public @Nullable InputStream getResourceAsStream(String name) {
      String end = ".class";
      byte[] bytes =
          name.endsWith(end)
              ? classes.get(name.substring(0, name.length() - end.length()).replace('/', '.'))
              : null;
      return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
    }
  }
}
