package dev.rialto.exchange;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** The shared transport where ranks are on several nodes, two on each. */
class SeveralNodesTest {
  @Test
  void sharedMemoryWithinNodesAndMessagesBetweenThemMatchPlainLoops() {
    try (World world = World.local(5)) {
      world.run(
          comm -> {
            Communicator ranks = onNodes(comm);
            for (PlanCase each : Matrix.cases(5, 4)) {
              try (Exchanger exchanger = Exchanger.on(ranks)) {
                ExchangePlan plan = each.maker().plan(exchanger.communicator());
                for (String scheme : new String[] {"shared", "shared/fused"}) {
                  Matrix.run(exchanger, plan, each, Scheme.parse(scheme), DType.F64);
                }
              }
            }
          });
    }
  }

  /**
   * Returns a communicator whose ranks are on one node two by two. They are really threads of one
   * process; {@link SharedMemory} gathers a number of each rank's process to find that out, and is
   * told other numbers for ranks of other nodes.
   */
  private static Communicator onNodes(Communicator comm) {
    return (Communicator)
        Proxy.newProxyInstance(
            Communicator.class.getClassLoader(),
            new Class<?>[] {Communicator.class},
            (_, method, arguments) ->
                switch (method.getName()) {
                  case "dup" -> onNodes(comm.dup());
                  case "splitByNode" -> comm.split(comm.rank() / 2, comm.rank()).orElseThrow();
                  case "sharedWindow" ->
                      throw new IllegalStateException("ranks of several nodes share no window");
                  case "allGather" -> {
                    Object nothing = call(method, comm, arguments);
                    MemorySegment gathered = (MemorySegment) arguments[1];
                    for (int rank = 0; rank < comm.size(); rank++) {
                      if (rank / 2 != comm.rank() / 2) {
                        long number = gathered.getAtIndex(JAVA_LONG, rank);
                        gathered.setAtIndex(JAVA_LONG, rank, number ^ 1L << 40);
                      }
                    }
                    yield nothing;
                  }
                  default -> call(method, comm, arguments);
                });
  }

  private static Object call(Method method, Communicator comm, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(comm, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
