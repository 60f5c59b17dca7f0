package dev.rialto.jit.lower;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.lower.Options.Feature;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.jit.lower.nest.Lowering;
import dev.rialto.jit.lower.nest.Scope;
import dev.rialto.jit.lower.program.DeadCode;
import dev.rialto.jit.lower.program.Fuse;
import dev.rialto.jit.lower.threads.BlockSum;
import dev.rialto.jit.lower.threads.MatrixProduct;
import dev.rialto.jit.lower.threads.Packs;
import dev.rialto.jit.lower.threads.ProductTiles;
import dev.rialto.jit.lower.threads.Threads;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Procedures for a GPU: a thread per element, or a block of threads per tile or sum. */
record ThreadProcedures(Options options, Set<Node> inputs) {
  /** Counts the assignments that touch each node. */
  static Map<Node, Integer> touches(List<Assign> assigns) {
    Map<Node, Integer> touches = new HashMap<>();
    for (Assign a : assigns) {
      Fuse.nodes(a).forEach(node -> touches.merge(node, 1, Integer::sum));
    }
    return touches;
  }

  Procedure procedure(
      Fuse.Group group, Map<Node, Integer> touches, String name, Parameters parameters) {
    Emitter.Names names = new Emitter.Names();
    Emitter out = new Emitter(names);
    Scope scope = parameters.scope(out, options.fast());
    Assign first = group.assigns().getFirst();
    boolean blocks = hasOwnKernel(first);
    MatrixProduct product = blocks ? MatrixProduct.of(first) : null;
    long items = 1;
    if (product != null) {
      items = product.blocks();
      out.add(new ProductTiles(product, scope, names).body());
    } else if (blocks) {
      items = BlockSum.items(first);
      boolean exchanges = options.has(Feature.EXCHANGES);
      out.add(BlockSum.body(first, scope, exchanges, names));
    } else if (group.shared() == null) {
      new Lowering(first, group.schedules().getFirst(), scope).emit(out);
    } else {
      Threads threads = new Threads(options.fast(), options.has(Feature.WIDE_ATOMICS));
      items = threads.items(group);
      Set<Buffer> own = new HashSet<>();
      for (Node node : own(group, touches)) {
        own.add(parameters.of(node, false));
      }
      threads.emit(group, scope, own, out);
      own.removeAll(touched(out.block()));
      parameters.drop(own);
    }
    Stmt body = blocks ? out.block() : Pipeline.polish(out.block(), options);
    List<Buffer> all = parameters.all();
    Procedure.Grain one = new Procedure.Grain(1, 1);
    Procedure plain = new Procedure(name, all, items, one, scope.begin(), scope.end(), body);
    Packs packs = options.has(Feature.PACKS) && !blocks ? Packs.of(plain) : null;
    return packs == null
        ? plain
        : new Procedure(
            name,
            all,
            items,
            new Procedure.Grain(packs.lanes(), 1),
            scope.begin(),
            scope.end(),
            body);
  }

  /** The nodes that nothing but a group sees, with elements that are in memory what they are. */
  private Set<Node> own(Fuse.Group group, Map<Node, Integer> all) {
    Map<Node, Integer> here = touches(group.assigns());
    Set<Node> own = new LinkedHashSet<>();
    group.assigns().forEach(a -> own.add(a.target()));
    own.removeIf(
        node ->
            DeadCode.isSeenOutside(node, inputs)
                || node.type().size() < 4
                || !Objects.equals(here.get(node), all.get(node)));
    return own;
  }

  private static Set<Buffer> touched(Stmt body) {
    Set<Buffer> touched = Ir.stored(body);
    touched.addAll(Ir.loaded(body));
    return touched;
  }

  /** Whether there is other code for an assignment than a thread per element. */
  boolean hasOwnKernel(Assign a) {
    return !options.schedules().containsKey(a.target().name())
        && options.has(Feature.BLOCKS)
        && (MatrixProduct.of(a) != null || (options.fast() && BlockSum.is(a)));
  }
}
