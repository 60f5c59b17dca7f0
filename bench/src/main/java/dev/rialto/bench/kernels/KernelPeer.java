package dev.rialto.bench.kernels;

import dev.rialto.bench.Peer;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.spi.Probe;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The hand-written C, compiled by the same compiler and run on the same threads and memory. */
public final class KernelPeer implements AutoCloseable {
  private final List<KernelCase> cases;
  private final Code code;

  private KernelPeer(List<KernelCase> cases, Code code) {
    this.cases = cases;
    this.code = code;
  }

  /** Compiles the peer, or returns nothing if there is no C compiler. */
  public static Optional<KernelPeer> compile(List<KernelCase> cases) {
    CodeTarget cc = JitBackend.targets().get("cc");
    if (cc == null || cc.probe() instanceof Probe.Unavailable) {
      return Optional.empty();
    }
    List<Procedure> procedures = new ArrayList<>();
    for (KernelCase each : cases) {
      List<Buffer> parameters =
          each.buffers().stream().map(b -> new Buffer(b, Buffer.Storage.F32, 0, false)).toList();
      Expr.Var begin = new Expr.Var("begin", Type.I64);
      procedures.add(
          new Procedure(
              each.name(),
              parameters,
              each.items(),
              new Procedure.Grain(1, 1),
              begin,
              begin,
              new Stmt.Block(List.of())));
    }
    Unit unit = new Unit("peer", procedures, true, Peer.source("kernels_peer.c"));
    return Optional.of(new KernelPeer(cases, cc.load(unit, cc.build(unit))));
  }

  public double millis(KernelCase each, LinkedKernel memory, Executor executor) {
    RangeBody body =
        code.bind(cases.indexOf(each), each.buffers().stream().map(memory::buffer).toList());
    long even = each.items() / (4L * executor.parallelism());
    long grain = Math.max(each.multiple(), even / each.multiple() * each.multiple());
    long start = System.nanoTime();
    executor.parallelFor(0, each.items(), grain, body);
    return (System.nanoTime() - start) / 1e6;
  }

  @Override
  public void close() {
    code.close();
  }
}
