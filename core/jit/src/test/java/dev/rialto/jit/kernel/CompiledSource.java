package dev.rialto.jit.kernel;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Classes compiled from text in memory, by a loader that gives their files out. */
final class CompiledSource extends ClassLoader {
  private final Map<String, byte[]> classes = new HashMap<>();

  private CompiledSource() {
    super(CompiledSource.class.getClassLoader());
  }

  /** Compiles the source of a class; options are the compiler's, such as {@code -g:none}. */
  static Class<?> load(String name, String source, String... options) {
    CompiledSource loader = new CompiledSource();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    JavaFileManager files = loader.manager(compiler.getStandardFileManager(null, null, null));
    JavaFileObject text =
        new SimpleJavaFileObject(
            URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignore) {
            return source;
          }
        };
    java.io.StringWriter said = new java.io.StringWriter();
    List<String> all =
        new java.util.ArrayList<>(
            List.of("-proc:none", "-cp", System.getProperty("java.class.path")));
    all.addAll(List.of(options));
    if (!compiler.getTask(said, files, null, all, null, List.of(text)).call()) {
      throw new IllegalArgumentException(said + "\n" + source);
    }
    try {
      return loader.loadClass(name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private JavaFileManager manager(JavaFileManager standard) {
    return new ForwardingJavaFileManager<>(standard) {
      @Override
      public JavaFileObject getJavaFileForOutput(
          Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
        return new SimpleJavaFileObject(
            URI.create("memory:///" + name.replace('.', '/') + ".class"), kind) {
          @Override
          public OutputStream openOutputStream() {
            return new ByteArrayOutputStream() {
              @Override
              public void close() {
                classes.put(name, toByteArray());
              }
            };
          }
        };
      }
    };
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = classes.get(name);
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  @Override
  public InputStream getResourceAsStream(String name) {
    byte[] bytes = classes.get(name.replace(".class", "").replace('/', '.'));
    return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
  }
}
