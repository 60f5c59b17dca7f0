package dev.rialto.jit.library;

import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.util.function.Supplier;

/** The rules that tensors keep which are given to the {@link KernelLibrary}. */
final class TensorRules {
  private TensorRules() {}

  /** Refuses what does not hold, in words that say what was given and what to give. */
  static void require(boolean holds, Supplier<String> words) {
    if (!holds) {
      throw new IllegalArgumentException(words.get());
    }
  }

  static void axes(String what, Tensor tensor, int least, int most) {
    int axes = tensor.shape().rank();
    require(
        axes >= least && axes <= most,
        () ->
            "a %s with a tensor of shape %s; give one of %s axes"
                .formatted(what, tensor.shape(), least == most ? least : least + " or " + most));
  }

  static void dense(String what, Tensor... tensors) {
    for (Tensor each : tensors) {
      require(
          each.layout() instanceof Layout.Contiguous,
          () ->
              "a %s with elements that lie at %s; copy them to a tensor without gaps"
                  .formatted(what, each.layout()));
    }
  }

  /** Refuses to write elements that lie at one place: which one stays would be chance. */
  static void written(String what, Tensor tensor) {
    require(
        !(tensor.layout() instanceof Layout.Strided strided) || strided.hasPlaceForEach(),
        () ->
            "a %s to elements that lie at %s, several at one place; give each its own"
                .formatted(what, tensor.layout()));
  }

  static DType alike(String what, Tensor... tensors) {
    DType type = tensors[0].layout().type();
    for (Tensor each : tensors) {
      require(
          each.layout().type() == type,
          () ->
              "a %s of %s and %s; give tensors of one type"
                  .formatted(what, type, each.layout().type()));
    }
    return type;
  }

  static DType floating(String what, Tensor... tensors) {
    DType type = alike(what, tensors);
    require(
        type.kind() == DType.Kind.FLOAT,
        () -> "a %s of %s; choose F64, F32, F16 or BF16".formatted(what, type));
    return type;
  }

  static boolean isNumber(DType type) {
    return type.kind() == DType.Kind.INTEGER || type == DType.F64 || type == DType.F32;
  }
}
