package dev.rialto.jit.run;

import dev.rialto.jit.Node;
import java.util.Optional;
import java.util.Set;

/** A program and a context that it is to be linked into, refused where they do not fit. */
record LinkCheck(JitBackend backend, Context context, Compiled compiled) {

  void check(Set<Node> prior) {
    if (compiled.backend() != backend || context.device().backend() != backend) {
      throw refused(
          "of %s cannot be linked by %s into a context on %s"
              .formatted(compiled.backend().name(), backend.name(), context.device()));
    }
    for (Node node : compiled.lowered().context()) {
      if (prior.contains(node) && !context.holds(node)) {
        throw new IllegalArgumentException(
            "the linked context on %s lacks node %s, which program %s expects there; it holds %s"
                .formatted(context.device(), node, compiled.name(), context.nodes()));
      }
    }
    Optional<Node> merged = compiled.lowered().merged().stream().findFirst();
    Optional<Node> held = context.merged();
    if (merged.isPresent() && held.isPresent() && merged.get() != held.get()) {
      throw refused(
          "reads %s.merge, but the merge buffer of %s holds %s by then"
              .formatted(merged.get(), context.device(), held.get()));
    }
    for (Node node : compiled.program().inputs()) {
      String owner = context.holds(node) ? null : context.keeper(node);
      if (owner != null) {
        throw refused(
            ("reads %s before it assigns it, but program %s, linked before, computes it for itself"
                    + " alone; make it a hosted node, or compile both as one program")
                .formatted(node, owner));
      }
    }
    for (Node node : compiled.keeps()) {
      if (context.isBound(node)) {
        throw refused(
            "computes %s for itself alone, but it is bound to memory; make it an output"
                .formatted(node));
      }
    }
  }

  private IllegalArgumentException refused(String reason) {
    return new IllegalArgumentException("program " + compiled.name() + " " + reason);
  }
}
