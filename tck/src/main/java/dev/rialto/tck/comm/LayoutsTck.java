package dev.rialto.tck.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.TruncationException;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.reference.LayoutReference;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.Random;

/** Messages whose elements do not lie together, at either end or both. */
@Requires({Capability.POINT_TO_POINT, Capability.LAYOUTS})
public final class LayoutsTck extends CommunicationTck {
  private static final int CASES = 60;

  /** A random layout at each end, of which the receiver's names at least as many elements. */
  private record Case(Layout source, Layout target, long key) {
    static Case random(Random random) {
      DType type = TYPES.get(random.nextInt(TYPES.size()));
      Layout one = LayoutReference.random(random, type);
      Layout other = LayoutReference.random(random, type);
      return one.count() <= other.count()
          ? new Case(one, other, random.nextLong())
          : new Case(other, one, random.nextLong());
    }

    MemorySegment message(RankMemory memory) {
      return memory.pattern(key, source.span());
    }

    MemorySegment blank(RankMemory memory) {
      return memory.blank(target.span() + 16);
    }

    void check(RankMemory memory, MemorySegment received, Status status) {
      assertEquals(new Status(0, 1, source.bytes(), false), status);
      MemorySegment wanted = blank(memory);
      LayoutReference.copy(message(memory), source, wanted, target, source.count());
      RankMemory.check(wanted, received, source + " into " + target);
    }
  }

  @Requirement(
      id = "LAY-001",
      text =
          "A message goes from any layout into any layout, element by element; a shorter one fills"
              + " the first elements, and what the layout does not name is left.")
  void layoutToLayout() {
    onPair(
        (comm, memory) -> {
          Random random = random();
          for (int i = 0; i < CASES; i++) {
            Case c = Case.random(random);
            try (Request send = comm.isend(c.message(memory), c.source(), last(comm), 1)) {
              assertEquals(Status.EMPTY, send.await());
            }
          }
        },
        (comm, memory) -> {
          Random random = random();
          for (int i = 0; i < CASES; i++) {
            Case c = Case.random(random);
            MemorySegment buffer = c.blank(memory);
            try (Request receive = comm.ireceive(buffer, c.target(), 0, 1)) {
              c.check(memory, buffer, receive.await());
            }
          }
        });
  }

  @Requirement(
      id = "LAY-002",
      text = "A message of a layout matches a receive of as many bytes without one, and back.")
  void layoutsMeetPlainBuffers() {
    onPair(
        (comm, memory) -> {
          Random random = random();
          for (int i = 0; i < CASES; i++) {
            Layout layout = Case.random(random).source();
            MemorySegment message = memory.pattern(i, layout.span());
            comm.isend(message, layout, last(comm), 1).await();
            MemorySegment plain = memory.pattern(i, layout.bytes());
            comm.send(plain, layout.type(), layout.count(), last(comm), 1);
          }
        },
        (comm, memory) -> {
          Random random = random();
          for (int i = 0; i < CASES; i++) {
            Layout layout = Case.random(random).source();
            Layout plain = Layout.contiguous(layout.type(), layout.count());
            MemorySegment packed = memory.blank(layout.bytes());
            comm.receive(packed, layout.type(), layout.count(), 0, 1);
            MemorySegment wanted = memory.blank(layout.bytes());
            MemorySegment message = memory.pattern(i, layout.span());
            LayoutReference.copy(message, layout, wanted, plain, layout.count());
            RankMemory.check(wanted, packed, layout + " into a plain buffer");
            MemorySegment spread = memory.blank(layout.span());
            comm.ireceive(spread, layout, 0, 1).await();
            MemorySegment wantedSpread = memory.blank(layout.span());
            MemorySegment sent = memory.pattern(i, layout.bytes());
            LayoutReference.copy(sent, plain, wantedSpread, layout, layout.count());
            RankMemory.check(wantedSpread, spread, "a plain buffer into " + layout);
          }
        });
  }

  @Requirement(id = "LAY-003", text = "A layout that is sent may name an element twice.")
  void sentLayoutsMayRepeatElements() {
    onPair(
        (comm, memory) -> {
          Layout repeated = Layout.strided(DType.I64, Shape.of(3, 2), new long[] {0, 1}, 0);
          comm.isend(memory.longs(4, 5), repeated, last(comm), 1).await();
        },
        (comm, memory) -> {
          MemorySegment buffer = memory.blank(48);
          comm.receive(buffer, DType.I64, 6, 0, 1);
          RankMemory.check(memory.longs(4, 5, 4, 5, 4, 5), buffer, "repeated elements");
        });
  }

  @Requirement(
      id = "LAY-004",
      text =
          "A message longer than a receiving layout fails it with TruncationException and, where"
              + " declared, leaves the buffer unchanged.")
  void layoutsAreNotOverrun() {
    Layout layout = Layout.pitched(DType.I32, Shape.of(100, 90), 128);
    onPair(
        (comm, memory) -> {
          comm.send(memory.pattern(1, 36004), DType.I32, 9001, last(comm), 1);
          comm.isend(memory.pattern(2, layout.span()), layout, last(comm), 1).await();
        },
        (comm, memory) -> {
          MemorySegment buffer = memory.blank(layout.span());
          Request receive = comm.ireceive(buffer, layout, 0, 1);
          assertThrows(TruncationException.class, receive::await);
          checkTruncated(memory, buffer, "the layout's buffer");
          MemorySegment plain = memory.blank(layout.span());
          assertThrows(TruncationException.class, () -> comm.receive(plain, DType.I32, 8999, 0, 1));
          checkTruncated(memory, plain, "the plain buffer");
        });
  }

  @Requirement(
      id = "LAY-005",
      text = "Persistent requests of layouts move what the buffers hold at each start.",
      capability = Capability.PERSISTENT)
  void persistentLayoutsRestart() {
    onPair(
        (comm, memory) -> {
          Random random = random();
          for (int i = 0; i < CASES / 4; i++) {
            Case c = Case.random(random);
            MemorySegment buffer = memory.blank(c.source().span());
            try (PersistentRequest send = comm.persistentSend(buffer, c.source(), last(comm), 1)) {
              for (int round = 0; round < 3; round++) {
                RankMemory.write(c.key() + round, buffer);
                send.start();
                send.await();
              }
            }
          }
        },
        (comm, memory) -> {
          Random random = random();
          for (int i = 0; i < CASES / 4; i++) {
            Case c = Case.random(random);
            MemorySegment buffer = c.blank(memory);
            try (PersistentRequest receive = comm.persistentReceive(buffer, c.target(), 0, 1)) {
              for (int round = 0; round < 3; round++) {
                receive.start();
                new Case(c.source(), c.target(), c.key() + round)
                    .check(memory, buffer, receive.await());
              }
            }
          }
        });
  }

  @Requirement(id = "LAY-006", text = "Large layouts of short runs arrive whole.")
  void largeLayoutsArrive() {
    Layout columns = Layout.strided(DType.F64, Shape.of(350, 400), new long[] {1, 350}, 0);
    Layout rows = Layout.pitched(DType.F64, Shape.of(350, 400), 401);
    Case c = new Case(columns, rows, 77);
    onPair(
        (comm, memory) -> comm.isend(c.message(memory), columns, last(comm), 1).await(),
        (comm, memory) -> {
          MemorySegment buffer = c.blank(memory);
          c.check(memory, buffer, comm.ireceive(buffer, rows, 0, 1).await());
        });
  }

  @Requirement(
      id = "LAY-007",
      text = "A layout that reaches beyond its buffer is refused before anything moves.")
  void layoutsMustFitTheirBuffer(Communicator comm, RankMemory memory) {
    Layout layout = Layout.pitched(DType.F64, Shape.of(3, 4), 5);
    MemorySegment small = memory.blank(layout.span() - 1);
    int me = comm.rank();
    Class<IndexOutOfBoundsException> type = IndexOutOfBoundsException.class;
    refuses(type, layout.span(), () -> comm.isend(small, layout, me, 1));
    refuses(type, layout.span(), () -> comm.ireceive(small, layout, me, 1));
    if (has(Capability.PERSISTENT)) {
      refuses(type, layout.span(), () -> comm.persistentSend(small, layout, me, 1));
      refuses(type, layout.span(), () -> comm.persistentReceive(small, layout, me, 1));
    }
    MemorySegment readOnly = memory.blank(layout.span()).asReadOnly();
    refuses(
        IllegalArgumentException.class, "read-only", () -> comm.ireceive(readOnly, layout, me, 1));
    selfSendStillWorks(comm, memory, layout);
  }

  private static void selfSendStillWorks(Communicator comm, RankMemory memory, Layout layout) {
    MemorySegment buffer = memory.blank(layout.span());
    try (Request receive = comm.ireceive(buffer, layout, comm.rank(), 1);
        Request send = comm.isend(memory.pattern(3, layout.span()), layout, comm.rank(), 1)) {
      send.await();
      assertEquals(layout.bytes(), receive.await().bytes());
    }
  }
}
