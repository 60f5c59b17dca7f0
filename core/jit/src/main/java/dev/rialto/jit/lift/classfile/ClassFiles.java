package dev.rialto.jit.lift.classfile;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Class files by name, as a class loader gives them out; each is read once. */
public final class ClassFiles {
  private final List<ClassLoader> loaders = new ArrayList<>();
  private final Map<String, Optional<ClassInfo>> files = new HashMap<>();

  public ClassFiles(@Nullable ClassLoader loader) {
    add(loader);
  }

  /** Looks in another class loader too, for the classes of a function that a kernel is given. */
  public final void add(@Nullable ClassLoader loader) {
    ClassLoader other = loader == null ? ClassLoader.getSystemClassLoader() : loader;
    if (!loaders.contains(other)) {
      loaders.add(other);
      files.values().removeIf(Optional::isEmpty);
    }
  }

  public Optional<ClassInfo> find(String name) {
    Optional<ClassInfo> found = files.get(name);
    if (found == null) {
      found = read(name);
      files.put(name, found);
    }
    return found;
  }

  private Optional<ClassInfo> read(String name) {
    for (ClassLoader loader : loaders) {
      Optional<ClassInfo> found = read(loader, name + ".class");
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<ClassInfo> read(ClassLoader loader, String file) {
    try (InputStream in = loader.getResourceAsStream(file)) {
      if (in == null) {
        return Optional.empty();
      }
      ClassModel model = ClassFile.of().parse(in.readAllBytes());
      String parent = model.superclass().map(ClassEntry::asInternalName).orElse("");
      boolean rooted =
          parent.isEmpty()
              || parent.equals("java/lang/Object")
              || parent.equals("java/lang/Record");
      return Optional.of(new ClassInfo(model, rooted ? null : find(parent).orElse(null)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * A method and the class that has it.
   *
   * @param owner the class
   * @param model the method
   */
  public record Found(ClassInfo owner, MethodModel model) {}

  /** Finds the method that a call on an object of exactly this class reaches. */
  public Optional<Found> method(ClassInfo type, String name, String descriptor) {
    for (ClassInfo c = type; c != null; c = c.parent()) {
      Optional<MethodModel> method = c.method(name, descriptor);
      if (method.isPresent()) {
        return Optional.of(new Found(c, method.get()));
      }
    }
    for (ClassInfo c = type; c != null; c = c.parent()) {
      for (ClassEntry face : c.model().interfaces()) {
        Optional<Found> method =
            find(face.asInternalName()).flatMap(f -> method(f, name, descriptor));
        if (method.isPresent()) {
          return method;
        }
      }
    }
    return Optional.empty();
  }

  /** Loads a class by its name with slashes, and initializes it. */
  public Class<?> load(String name) throws ClassNotFoundException {
    for (ClassLoader loader : loaders.subList(0, loaders.size() - 1)) {
      try {
        return Class.forName(name.replace('/', '.'), true, loader);
      } catch (ClassNotFoundException _) {
        // The next one may have it.
      }
    }
    return Class.forName(name.replace('/', '.'), true, loaders.getLast());
  }
}
