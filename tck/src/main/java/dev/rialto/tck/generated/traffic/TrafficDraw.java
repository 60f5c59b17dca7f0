package dev.rialto.tck.generated.traffic;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.tck.generated.Draw;
import dev.rialto.tck.generated.Group;
import dev.rialto.tck.generated.Meeting;
import dev.rialto.tck.generated.Placement;
import dev.rialto.tck.generated.Size;
import dev.rialto.tck.reference.LayoutReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Random traffic for the communicators of a script. */
public final class TrafficDraw {
  private static final Size WAITING = Size.upTo(48);
  private static final List<DType> TYPES = List.of(DType.values());

  private final Draw draw;
  private final Set<Capability> capabilities;
  private final int maxTag;
  private final Draw.Deck<Way> ways;
  private final Draw.Deck<DType> types;

  public TrafficDraw(Draw draw, Set<Capability> capabilities, int maxTag) {
    this.draw = draw;
    this.capabilities = capabilities;
    this.maxTag = maxTag;
    this.types = new Draw.Deck<>(draw, TYPES);
    List<Way> possible = new ArrayList<>(List.of(Way.IN_TURN, Way.RING));
    if (has(Capability.NON_BLOCKING)) {
      possible.addAll(List.of(Way.UNEXPECTED, Way.POSTED, Way.MIXED));
      if (has(Capability.SPLIT)) {
        possible.add(Way.ANY_SOURCE);
      }
    }
    if (has(Capability.PERSISTENT)) {
      possible.add(Way.PERSISTENT);
    }
    this.ways = new Draw.Deck<>(draw, possible);
  }

  /** Draws a tag that is not a {@link Meeting}'s: posted receives would take its messages. */
  private int tag() {
    int tag = draw.tag(maxTag);
    return tag == Meeting.TAG ? tag - 1 : tag;
  }

  private boolean has(Capability capability) {
    return capabilities.contains(capability);
  }

  /** Draws a few messages of up to so many bytes between random ranks. */
  public TrafficStep few(Group group, Size size) {
    Way way = ways.get();
    if (way == Way.RING) {
      return ring(group, size);
    }
    int most = draw.of(List.of(1, 3, 8));
    List<Integer> tags = List.of(tag(), tag(), tag());
    List<List<Mail>> pairs = new ArrayList<>();
    for (int from = 0; from < group.size(); from++) {
      for (int to = 0; to < group.size(); to++) {
        // About three partners for each rank, however many there are.
        int messages = draw.below(group.size()) > 2 ? 0 : draw.below(most + 1);
        pairs.add(pair(way, from, to, messages, () -> draw.of(tags), size));
      }
    }
    return of(group, way, pairs);
  }

  /** Draws a message that each rank sends to one other and gets from one other. */
  private TrafficStep ring(Group group, Size size) {
    return toNext(group, Way.RING, draw.below(group.size()), types.get(), size);
  }

  /** Draws a message from each rank to the one so many ranks on. */
  public TrafficStep toNext(Group group, Way way, int shift, DType type, Size size) {
    List<List<Mail>> pairs = new ArrayList<>();
    for (int from = 0; from < group.size(); from++) {
      pairs.add(List.of(mail(way, from, (from + shift) % group.size(), tag(), type, size)));
    }
    return of(group, way, pairs);
  }

  /** Draws one message between two ranks. */
  public TrafficStep one(Group group, Size size) {
    int from = draw.below(group.size());
    int to = (from + 1) % group.size();
    Way way = ways.get();
    if (way == Way.RING) {
      return ring(group, size);
    }
    int tag = tag();
    DType type = way == Way.ANY_SOURCE ? DType.I8 : types.get();
    Mail mail = mail(way, from, to, tag, type, size);
    return of(group, way, List.of(List.of(mail)));
  }

  /** Draws thousands of short messages that wait for their receives. */
  public TrafficStep queue(Group group, int messages) {
    List<List<Mail>> pairs = new ArrayList<>();
    int to = draw.below(group.size());
    boolean fewTags = draw.once(2);
    for (int from = 0; from < group.size(); from++) {
      IntSupplier tag = fewTags ? () -> draw.below(5) : () -> draw.below(maxTag);
      pairs.add(pair(Way.UNEXPECTED, from, to, messages / group.size(), tag, WAITING));
    }
    return of(group, Way.UNEXPECTED, pairs);
  }

  /** Draws messages whose tags differ in one bit each, to be told apart all the same. */
  public TrafficStep similarTags(Group group) {
    int base = draw.below(maxTag);
    List<Integer> tags = new ArrayList<>(List.of(base));
    for (int bit = 1; bit > 0 && bit <= maxTag; bit <<= 1) {
      if ((base ^ bit) <= maxTag) {
        tags.add(base ^ bit);
      }
    }
    draw.shuffle(tags);
    List<List<Mail>> pairs = new ArrayList<>();
    for (int from = 0; from < group.size(); from++) {
      int[] next = {0};
      pairs.add(
          pair(
              Way.UNEXPECTED,
              from,
              group.size() - 1 - from,
              tags.size(),
              () -> tags.get(next[0]++),
              WAITING));
    }
    return of(group, draw.once(2) ? Way.UNEXPECTED : Way.MIXED, pairs);
  }

  private List<Mail> pair(Way way, int from, int to, int messages, IntSupplier tag, Size size) {
    List<Mail> pair = new ArrayList<>();
    DType same = types.get();
    for (int i = 0; i < messages; i++) {
      DType type = way == Way.ANY_SOURCE ? DType.I8 : draw.once(3) ? types.get() : same;
      pair.add(mail(way, from, to, tag.getAsInt(), type, size));
    }
    return pair;
  }

  private Mail mail(Way way, int from, int to, int tag, DType type, Size size) {
    boolean heap = has(Capability.HEAP_BUFFERS);
    boolean layouts =
        has(Capability.LAYOUTS)
            && (way == Way.UNEXPECTED || way == Way.MIXED || way == Way.PERSISTENT)
            && !size.exact()
            && draw.once(4);
    Layout scattered = layouts ? LayoutReference.random(new Random(draw.number()), type) : null;
    long count = scattered == null ? draw.count(type, size) : scattered.count();
    boolean sends = scattered != null && draw.once(2);
    return new Mail(
        from,
        to,
        tag,
        type,
        count,
        draw.number(),
        mode(way, sends),
        sends ? scattered : null,
        Placement.draw(draw, heap),
        tag,
        count + (draw.once(3) ? draw.below(20) : 0),
        sends || scattered == null ? null : scattered,
        Placement.draw(draw, heap));
  }

  private SendMode mode(Way way, boolean layout) {
    if (!has(Capability.SEND_MODES) || layout || way == Way.RING) {
      return SendMode.STANDARD;
    }
    return switch (draw.below(4)) {
      case 0 -> SendMode.SYNCHRONOUS;
      case 1 -> way == Way.POSTED ? SendMode.READY : SendMode.STANDARD;
      default -> SendMode.STANDARD;
    };
  }

  /** Makes a step of the messages of each pair, mixing those of different pairs. */
  private TrafficStep of(Group group, Way way, List<List<Mail>> pairs) {
    List<Mail> sends = merged(pairs);
    List<Mail> receives =
        switch (way) {
          // A meeting's messages would match a receive of any tag.
          case IN_TURN, POSTED, ANY_SOURCE, RING -> merged(pairs);
          default -> merged(pairs.stream().map(pair -> Mail.received(draw, pair)).toList());
        };
    return new TrafficStep(group, way, sends, receives, capabilities, 1 + draw.below(4));
  }

  private List<Mail> merged(List<List<Mail>> pairs) {
    List<@Nullable List<Mail>> left = new ArrayList<>();
    for (List<Mail> pair : pairs) {
      if (!pair.isEmpty()) {
        left.add(new ArrayList<>(pair).reversed());
      }
    }
    List<Mail> merged = new ArrayList<>();
    while (!left.isEmpty()) {
      int chosen = draw.below(left.size());
      List<Mail> pair = left.get(chosen);
      if (pair == null || pair.isEmpty()) {
        left.remove(chosen);
      } else {
        merged.add(pair.removeLast());
      }
    }
    return merged;
  }
}
