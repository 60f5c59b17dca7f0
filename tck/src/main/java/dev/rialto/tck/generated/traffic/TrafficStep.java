package dev.rialto.tck.generated.traffic;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.PointToPoint.Message;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.Coverage.Dimension;
import dev.rialto.tck.generated.Group;
import dev.rialto.tck.generated.GuardedBuffers;
import dev.rialto.tck.generated.Meeting;
import dev.rialto.tck.generated.RankRun;
import dev.rialto.tck.generated.Requests;
import dev.rialto.tck.generated.Step;
import dev.rialto.tck.generated.Words;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Messages between the ranks of a communicator.
 *
 * @param way in which order ranks send and receive
 * @param sends all messages, those of one sender in the order of sending
 * @param receives the same, those of one receiver in the order of receiving
 */
record TrafficStep(
    Group group,
    Way way,
    List<Mail> sends,
    List<Mail> receives,
    Set<Capability> capabilities,
    int rounds)
    implements Step {
  @Override
  public String describe() {
    return "%s traffic of %s messages%s"
        .formatted(Words.camel(way.name()), sends.size(), sends.size() <= 6 ? " " + sends : "");
  }

  @Override
  public void cover(Coverage coverage) {
    String name = "messages";
    coverage.add(name, Dimension.RANKS, group.size());
    for (Mail mail : receives) {
      coverage
          .add(name, Dimension.TYPE, mail.type())
          .addSize(name, mail.type().bytes(mail.count()))
          .add(name, Dimension.FORM, Words.camel(way.name()))
          .add(name, Dimension.FORM, Words.camel(mail.mode().name()));
      mail.fromAt().cover(coverage, name);
      mail.toAt().cover(coverage, name);
      if (mail.tagAsked() == PointToPoint.ANY_TAG) {
        coverage.add(name, Dimension.FORM, "anyTag");
      }
      if (mail.fromLayout() != null || mail.toLayout() != null) {
        coverage.add(name, Dimension.FORM, "layout");
      }
    }
  }

  @Override
  public @Nullable Completion begin(RankRun run) throws Exception {
    Communicator comm = run.in(group);
    try (Rank rank = new Rank(run, comm)) {
      switch (way) {
        case IN_TURN -> rank.inTurn();
        case UNEXPECTED -> rank.unexpected();
        case POSTED -> rank.posted();
        case MIXED -> rank.mixed();
        case PERSISTENT -> rank.persistent();
        case RING -> rank.ring();
        case ANY_SOURCE -> {
          try (Communicator own = comm.dup();
              Rank apart = new Rank(run, own)) {
            apart.anySource();
          }
        }
      }
      rank.buffers.check("after it");
    }
    return null;
  }

  /** One rank's part. */
  private final class Rank implements AutoCloseable {
    private final RankRun run;
    private final Communicator comm;
    private final int me;
    private final List<Mail> mine;
    private final List<Mail> forMe;
    private final GuardedBuffers buffers = new GuardedBuffers();
    private final List<Request> requests = new ArrayList<>();
    private final List<Runnable> completions = new ArrayList<>();

    Rank(RankRun run, Communicator comm) {
      this.run = run;
      this.comm = comm;
      this.me = comm.rank();
      this.mine = sends.stream().filter(mail -> mail.from() == me).toList();
      this.forMe = receives.stream().filter(mail -> mail.to() == me).toList();
    }

    private void send(Mail mail) {
      comm.send(
          mail.source(buffers), mail.type(), mail.count(), mail.to(), mail.tag(), mail.mode());
    }

    private void isend(Mail mail) {
      MemorySegment source = mail.source(buffers);
      Request request =
          mail.fromLayout() == null
              ? comm.isend(source, mail.type(), mail.count(), mail.to(), mail.tag(), mail.mode())
              : comm.isend(source, mail.fromLayout(), mail.to(), mail.tag());
      requests.add(request);
      completions.add(() -> sent(Requests.complete(request, run.own)));
    }

    private static void sent(Status status) {
      if (!status.equals(Status.EMPTY)) {
        throw new AssertionError("a send is complete with " + status);
      }
    }

    private void receive(Mail mail) {
      MemorySegment target = mail.target(buffers);
      if (mail.toLayout() != null) {
        Request request = comm.ireceive(target, mail.toLayout(), mail.from(), mail.tagAsked());
        mail.check(target, Requests.complete(request, run.own), buffers);
        return;
      }
      int chosen = run.own.below(6);
      if (chosen == 0 && capabilities.contains(Capability.PROBE)) {
        mail.checkStatus(comm.probe(mail.from(), mail.tagAsked()));
      } else if (chosen == 1 && capabilities.contains(Capability.PROBE)) {
        mail.checkStatus(looked(mail));
      } else if (chosen <= 3 && capabilities.contains(Capability.MATCHED_PROBE)) {
        Message message =
            chosen == 2 ? comm.matchedProbe(mail.from(), mail.tagAsked()) : taken(mail);
        mail.checkStatus(message.status());
        mail.check(target, message.receive(target, mail.type(), mail.room()), buffers);
        return;
      }
      mail.check(
          target,
          comm.receive(target, mail.type(), mail.room(), mail.from(), mail.tagAsked()),
          buffers);
    }

    private Status looked(Mail mail) {
      while (true) {
        Optional<Status> found = comm.iprobe(mail.from(), mail.tagAsked());
        if (found.isPresent()) {
          return found.get();
        }
        Thread.yield();
      }
    }

    private Message taken(Mail mail) {
      while (true) {
        Optional<Message> found = comm.imatchedProbe(mail.from(), mail.tagAsked());
        if (found.isPresent()) {
          return found.get();
        }
        Thread.yield();
      }
    }

    private void ireceive(Mail mail) {
      MemorySegment target = mail.target(buffers);
      Request request =
          mail.toLayout() == null
              ? comm.ireceive(target, mail.type(), mail.room(), mail.from(), mail.tagAsked())
              : comm.ireceive(target, mail.toLayout(), mail.from(), mail.tagAsked());
      requests.add(request);
      completions.add(() -> mail.check(target, Requests.complete(request, run.own), buffers));
    }

    private void completeAll() {
      if (run.own.once(3)) {
        comm.awaitAll(requests);
      } else if (run.own.once(3) && !requests.isEmpty()) {
        int first = comm.awaitAny(requests);
        if (!requests.get(first).test()) {
          throw new AssertionError("awaitAny returned " + first + ", which is not complete");
        }
      }
      run.own.shuffle(completions);
      completions.forEach(Runnable::run);
    }

    void inTurn() {
      // Those of one pair are received in the order in which they are sent.
      for (Mail mail : sends) {
        if (mail.from() == me && mail.to() == me) {
          isend(mail);
        } else if (mail.from() == me) {
          send(mail);
        }
        if (mail.to() == me) {
          MemorySegment target = mail.target(buffers);
          mail.check(
              target,
              comm.receive(target, mail.type(), mail.room(), mail.from(), mail.tag()),
              buffers);
        }
      }
      completeAll();
    }

    void unexpected() {
      mine.forEach(this::isend);
      forMe.forEach(this::receive);
      completeAll();
    }

    void posted() {
      forMe.forEach(this::ireceive);
      Meeting.of(comm);
      for (Mail mail : mine) {
        if (mail.mode() == SendMode.SYNCHRONOUS || mail.fromLayout() != null) {
          isend(mail);
        } else {
          send(mail);
        }
      }
      completeAll();
    }

    void mixed() {
      int out = 0;
      int in = 0;
      while (out < mine.size() || in < forMe.size()) {
        if (in == forMe.size() || (out < mine.size() && run.own.once(2))) {
          isend(mine.get(out++));
        } else {
          ireceive(forMe.get(in++));
        }
      }
      completeAll();
    }

    void persistent() {
      List<PersistentRequest> all = new ArrayList<>();
      List<MemorySegment> targets = new ArrayList<>();
      for (Mail mail : forMe) {
        MemorySegment target = mail.target(buffers);
        targets.add(target);
        all.add(
            mail.toLayout() == null
                ? comm.persistentReceive(
                    target, mail.type(), mail.room(), mail.from(), mail.tagAsked())
                : comm.persistentReceive(target, mail.toLayout(), mail.from(), mail.tagAsked()));
      }
      List<MemorySegment> sources = new ArrayList<>();
      for (Mail mail : mine) {
        MemorySegment source = mail.rewritable(buffers);
        sources.add(source);
        all.add(
            mail.fromLayout() == null
                ? comm.persistentSend(
                    source, mail.type(), mail.count(), mail.to(), mail.tag(), mail.mode())
                : comm.persistentSend(source, mail.fromLayout(), mail.to(), mail.tag()));
      }
      for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < mine.size(); i++) {
          mine.get(i).write(sources.get(i), round);
        }
        all.forEach(PersistentRequest::start);
        for (int i : run.own.order(all.size())) {
          Status status = Requests.await(all.get(i), run.own);
          if (i < forMe.size()) {
            forMe.get(i).check(targets.get(i), status, buffers, round);
            targets.get(i).fill((byte) 0x5A);
          }
        }
      }
      all.forEach(PersistentRequest::close);
    }

    void ring() {
      Mail out = mine.getFirst();
      Mail in = forMe.getFirst();
      MemorySegment target = in.target(buffers);
      Status status =
          comm.sendReceive(
              out.source(buffers),
              out.count(),
              out.to(),
              out.tag(),
              target,
              in.room(),
              in.from(),
              in.tagAsked(),
              out.type());
      in.check(target, status, buffers);
    }

    /** Tells by the status which message a receive got; those of one sender come in order. */
    void anySource() {
      mine.forEach(this::isend);
      Map<Integer, List<Mail>> left = new HashMap<>();
      sends.stream()
          .filter(mail -> mail.to() == me)
          .forEach(mail -> left.computeIfAbsent(mail.from(), _ -> new ArrayList<>()).add(mail));
      for (int i = 0; i < forMe.size(); i++) {
        Mail most = forMe.stream().max((a, b) -> Long.compare(a.room(), b.room())).orElseThrow();
        MemorySegment target = most.target(buffers);
        Status status =
            comm.receive(
                target, most.type(), most.room(), PointToPoint.ANY_SOURCE, PointToPoint.ANY_TAG);
        List<Mail> candidates = left.getOrDefault(status.source(), List.of());
        if (candidates.isEmpty()) {
          throw new AssertionError("nothing more is to come from where " + status + " did");
        }
        candidates.removeFirst().check(target, status, buffers);
      }
      completeAll();
    }

    @Override
    public void close() {
      buffers.close();
    }
  }
}
