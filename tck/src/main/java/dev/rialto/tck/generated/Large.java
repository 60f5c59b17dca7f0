package dev.rialto.tck.generated;

import dev.rialto.spi.Capability;
import dev.rialto.tck.generated.Step.Form;
import java.util.ArrayList;
import java.util.List;

/** Steps that move many MiB. */
final class Large {
  private Large() {}

  /** Adds messages about each power of two, in each form. */
  static void messages(Script script, long most) {
    for (long bytes = 1 << 17; bytes < most; bytes *= 2) {
      script.message(Size.exactly(bytes + script.draw().below(1 << 16)));
    }
    script.message(Size.exactly(most));
  }

  /** Adds each collective and each reduction in each of its forms. */
  static void collectives(Script script, long most) {
    List<Form> forms = new ArrayList<>();
    if (script.has(Capability.NON_BLOCKING_COLLECTIVES)) {
      forms.add(Form.NON_BLOCKING);
    }
    if (script.has(Capability.PERSISTENT_COLLECTIVES)) {
      forms.add(Form.PERSISTENT);
    }
    script.collectives(1, Size.exactly(most), List.of(Form.BLOCKING));
    script.collectives(1, Size.exactly(most / 4), forms);
    script.reductions(1, Size.exactly(most / 2), List.of(Form.BLOCKING));
    if (script.has(Capability.NON_BLOCKING_COLLECTIVES)) {
      script.reductions(1, Size.exactly(most / 4), List.of(Form.NON_BLOCKING));
    }
  }

  static void windows(Script script, long most) {
    for (long bytes = 1 << 18; bytes <= most; bytes *= 4) {
      script.largeWindow(bytes + script.draw().below(1 << 10));
    }
    script.largeWindow(most);
    script.neighborhoods(2, Size.exactly(most / 16));
  }
}
