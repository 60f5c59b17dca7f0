package dev.rialto.array.loop;

import dev.rialto.array.Array;
import dev.rialto.jit.kernel.JavaKernels;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Which of the arrays that a function of indices captures it reads at those indices and nowhere
 * else, as its class file shows: {@code x.get(i, j)} with the parameters as they come. Where it
 * calls other code, or gets objects from elsewhere, nothing is known of it.
 *
 * @param known whether the function was seen through
 * @param elsewhere the places, among what it captures, of arrays that it may use in other ways
 */
public record OwnReads(boolean known, List<Integer> elsewhere) {
  private static final OwnReads UNKNOWN = new OwnReads(false, List.of());

  private static final String ARRAYS = Array.class.getPackageName().replace('.', '/') + "/";

  /** The facts about a function, by its class; each lambda of the source has its own class. */
  private static final ClassValue<AtomicReference<@Nullable OwnReads>> SEEN =
      new ClassValue<>() {
        @Override
        protected AtomicReference<@Nullable OwnReads> computeValue(Class<?> type) {
          return new AtomicReference<>();
        }
      };

  /** Copies the list. */
  public OwnReads {
    elsewhere = List.copyOf(elsewhere);
  }

  public static OwnReads of(Object function) {
    AtomicReference<@Nullable OwnReads> seen = SEEN.get(function.getClass());
    OwnReads known = seen.get();
    if (known == null) {
      known = function.getClass().isHidden() ? read(function) : UNKNOWN;
      seen.set(known);
    }
    return known;
  }

  private static OwnReads read(Object function) {
    List<Object> site = JavaKernels.identity(function);
    if (site.size() < 2 || !(site.get(1) instanceof String name)) {
      return UNKNOWN;
    }
    int type = name.indexOf('(');
    int method = name.lastIndexOf('.', type);
    ClassLoader loader = function.getClass().getClassLoader();
    if (loader == null) {
      return UNKNOWN;
    }
    try (InputStream file = loader.getResourceAsStream(name.substring(0, method) + ".class")) {
      if (file == null) {
        return UNKNOWN;
      }
      String called = name.substring(method + 1, type);
      String descriptor = name.substring(type);
      return ClassFile.of().parse(file.readAllBytes()).methods().stream()
          .filter(m -> m.methodName().equalsString(called))
          .filter(m -> m.methodType().equalsString(descriptor))
          .findFirst()
          .map(m -> new Body(m, site.size() - 2).reads())
          .orElse(UNKNOWN);
    } catch (IOException | IllegalArgumentException _) {
      return UNKNOWN;
    }
  }

  /** The method of a function: what it captures comes first, then the indices. */
  private static final class Body {
    private final List<Instruction> steps;
    private final List<Integer> arrays = new ArrayList<>();
    private final List<Integer> places = new ArrayList<>();
    private final List<Integer> indices = new ArrayList<>();

    Body(MethodModel method, int captured) {
      steps = new ArrayList<>();
      for (CodeElement each : method.code().orElseThrow()) {
        if (each instanceof Instruction step) {
          steps.add(step);
        }
      }
      boolean isStatic = method.flags().has(AccessFlag.STATIC);
      int slot = isStatic ? 0 : 1;
      int place = slot;
      for (ClassDesc type : method.methodTypeSymbol().parameterList()) {
        if (place >= captured) {
          indices.add(slot);
        } else if (isArray(type.descriptorString())) {
          arrays.add(slot);
          places.add(place);
        }
        slot += TypeKind.from(type).slotSize();
        place++;
      }
    }

    private static boolean isArray(String descriptor) {
      return descriptor.startsWith("L" + ARRAYS) && descriptor.endsWith("Array;");
    }

    OwnReads reads() {
      List<Integer> elsewhere = new ArrayList<>();
      for (int at = 0; at < steps.size(); at++) {
        Instruction step = steps.get(at);
        if (!isSeenThrough(step)) {
          return UNKNOWN;
        }
        if (step instanceof LoadInstruction load && load.typeKind() == TypeKind.REFERENCE) {
          int array = arrays.indexOf(load.slot());
          if (array >= 0 && !isOwnRead(at) && !elsewhere.contains(places.get(array))) {
            elsewhere.add(places.get(array));
          }
        }
      }
      return new OwnReads(true, elsewhere);
    }

    private boolean isSeenThrough(Instruction step) {
      return switch (step) {
        case InvokeDynamicInstruction _ -> false;
        case InvokeInstruction call -> {
          String owner = call.owner().asInternalName();
          yield owner.equals("java/lang/Math")
              || owner.equals("java/lang/StrictMath")
              || owner.equals(ARRAYS + "Complex")
              || (isArray("L" + owner + ";") && call.name().equalsString("get"));
        }
        case FieldInstruction field -> field.typeSymbol().isPrimitive();
        case StoreInstruction store -> !indices.contains(store.slot());
        default -> true;
      };
    }

    /** Returns whether an array that is loaded here is read at the function's own indices. */
    private boolean isOwnRead(int at) {
      int last = at + indices.size() + 1;
      if (last >= steps.size()) {
        return false;
      }
      for (int i = 0; i < indices.size(); i++) {
        if (!(steps.get(at + 1 + i) instanceof LoadInstruction load)
            || load.slot() != indices.get(i)) {
          return false;
        }
      }
      return steps.get(last) instanceof InvokeInstruction call
          && call.name().equalsString("get")
          && call.typeSymbol().parameterCount() == indices.size()
          && call.typeSymbol().parameterList().stream().allMatch(ClassDesc::isPrimitive);
    }
  }
}
