package io.boltwork.engine;

import io.boltwork.ClientInfo;
import io.boltwork.LockKind;
import io.boltwork.LockListener.Blocked;
import io.boltwork.engine.LongWaits.Wait;
import io.boltwork.machine.Hold;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Look;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Report;
import io.boltwork.spi.Report.Inspected;
import io.boltwork.spi.RequestId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks for circles of one thread here and another client: the client holds what the thread waits for, and waits for what
 * the thread holds. They are only possible deadlocks, because the threads of that client are not known here. The server
 * is asked about a few locks every few seconds, and only while a thread that holds a lock has waited for another one for
 * long. Called by the heartbeat.
 */
final class RemoteDeadlocks {

    /** The time between two rounds of questions, in nanoseconds. */
    private static final long EVERY = TimeUnit.SECONDS.toNanos(5);

    /** The time without questions after the server has refused one, perhaps for lack of a right. */
    private static final long REFUSED = TimeUnit.MINUTES.toNanos(10);

    /** The most waits in a round. */
    private static final int MOST_WAITS = 4;

    /** The most locks of each thread in a round. */
    private static final int MOST_HOLDS = 4;

    /** A lock at the server. */
    private record Name(LockKind kind, String lock) {
        static Name of(Hold hold) {
            return new Name(hold.request.context.kind(), hold.request.lock());
        }
    }

    /** A thread that waits for one lock and holds others. */
    private record Suspect(Wait waiting, List<Hold> held) {}

    /** A wait and a hold of a thread, as long as both last. */
    private record Pair(Wait waiting, Hold hold) {
        boolean isOver() {
            return waiting.isOver() || !ThreadHolds.isInForce(hold);
        }
    }

    /** A circle: the request of another client that holds, and the one that waits. */
    private record Crossing(Pair pair, String holder, String waiter) {
        String client() {
            return RequestId.clientOf(holder);
        }
    }

    /** Questions that were sent together. The answers come on any thread. */
    private static final class Round {
        final List<Suspect> suspects;
        final long since;
        final Map<Name, Inspected> locks = new ConcurrentHashMap<>();
        final Map<String, ClientRecord> clients = new ConcurrentHashMap<>();
        final AtomicInteger open = new AtomicInteger();
        volatile boolean isRefused;

        Round(List<Suspect> suspects, long since) {
            this.suspects = suspects;
            this.since = since;
        }
    }

    private final ClientCore core;
    private final ThreadHolds holds;
    private final DeadlockReport report;

    /** The circles that were reported and may still be closed. */
    private final Set<Pair> told = new HashSet<>();

    /** The circles that the last round has found. */
    private Set<Crossing> suspected = Set.of();

    private @Nullable Round round;
    private long nextRound;

    RemoteDeadlocks(ClientCore core, ThreadHolds holds, DeadlockReport report) {
        this.core = core;
        this.holds = holds;
        this.report = report;
        this.nextRound = core.ticker.nanos();
    }

    /**
     * Handles the answers that have come, and asks again if it is time to.
     *
     * @param waits the threads that have waited for long for what no thread of this client holds
     */
    void look(long now, List<Wait> waits) {
        told.removeIf(Pair::isOver);
        Round asked = round;
        if (asked != null) {
            if (asked.open.get() > 0 && now - asked.since < 2 * core.timing.commandTimeout()) {
                return;
            }
            round = null;
            evaluate(asked, now);
        }
        if (waits.isEmpty()) {
            suspected = Set.of();
        } else if (now >= nextRound) {
            nextRound = now + EVERY - Heartbeat.PERIOD / 2; // a heartbeat that comes a little early counts
            ask(waits, now);
        }
    }

    // ================================================================ asking

    private void ask(List<Wait> waits, long now) {
        Set<Thread> threads = waits.stream().map(wait -> wait.asker).collect(Collectors.toSet());
        Map<Thread, List<Hold>> held = holds.heldBy(threads);
        List<Suspect> suspects = waits.stream()
                .filter(wait -> wait.kind() != LockKind.SEMAPHORE && held.containsKey(wait.asker))
                .sorted(Comparator.comparing((Wait wait) -> !isSuspected(wait)).thenComparing(wait -> wait.askedAt))
                .limit(MOST_WAITS)
                .map(wait -> new Suspect(wait, some(Objects.requireNonNull(held.get(wait.asker)))))
                .toList();
        if (suspects.isEmpty()) {
            return;
        }
        Set<Name> names = new HashSet<>();
        for (Suspect suspect : suspects) {
            suspect.waiting.askedAt = now;
            names.add(new Name(suspect.waiting.kind(), suspect.waiting.lock()));
            suspect.held.forEach(hold -> names.add(Name.of(hold)));
        }
        Set<String> clients = suspected.stream().map(Crossing::client).collect(Collectors.toSet());
        Round asking = new Round(suspects, now);
        asking.open.set(names.size() + (clients.isEmpty() ? 0 : 1));
        round = asking;
        names.forEach(name -> send(asking, name));
        if (!clients.isEmpty()) {
            send(asking, clients);
        }
    }

    private boolean isSuspected(Wait wait) {
        return suspected.stream().anyMatch(crossing -> crossing.pair.waiting == wait);
    }

    /** Returns the oldest holds of a thread. */
    private static List<Hold> some(List<Hold> held) {
        return held.stream()
                .sorted(Comparator.comparingLong(hold -> hold.since))
                .limit(MOST_HOLDS)
                .toList();
    }

    private void send(Round asking, Name name) {
        core.backend.send(new Look.Inspect(name.lock, name.kind), reply -> {
            if (reply instanceof Inspected lock) {
                asking.locks.put(name, lock);
            }
            asking.isRefused |= isRefusal(reply);
            asking.open.decrementAndGet();
        });
    }

    private void send(Round asking, Set<String> clients) {
        core.backend.send(new Look.Identify(List.copyOf(clients)), reply -> {
            if (reply instanceof Report.Identified known) {
                known.clients().forEach(client -> asking.clients.put(client.id(), client));
            }
            asking.open.decrementAndGet();
        });
    }

    private static boolean isRefusal(Reply reply) {
        return reply instanceof Reply.Failed failed && !failed.cause().isRetryable();
    }

    // ================================================================ answers

    private void evaluate(Round asked, long now) {
        if (asked.isRefused) {
            nextRound = now + REFUSED;
            return;
        }
        Set<Crossing> found = new HashSet<>();
        for (Suspect suspect : asked.suspects) {
            Inspected wanted = asked.locks.get(new Name(suspect.waiting.kind(), suspect.waiting.lock()));
            for (Hold hold : suspect.held) {
                Inspected held = asked.locks.get(Name.of(hold));
                Pair pair = new Pair(suspect.waiting, hold);
                if (wanted != null && held != null && !pair.isOver()) {
                    crossings(pair, wanted, held).forEach(crossing -> {
                        found.add(crossing);
                        if (suspected.contains(crossing) && told.add(pair)) {
                            tell(asked, crossing, wanted, held, now);
                        }
                    });
                }
            }
        }
        suspected = found;
    }

    /** Returns the circles of a thread with clients that hold what it wants, and wait for what it holds. */
    private List<Crossing> crossings(Pair pair, Inspected wanted, Inspected held) {
        Map<String, String> holders = new HashMap<>();
        for (Inspected.Holder holder : wanted.holders()) {
            String client = RequestId.clientOf(holder.request());
            if (wanted.server().millis() < holder.untilMillis() && !client.equals(core.identity.id())) {
                holders.put(client, holder.request());
            }
        }
        List<Crossing> found = new ArrayList<>();
        for (Inspected.Waiting waiting : held.queue()) {
            String holding = holders.get(RequestId.clientOf(waiting.request()));
            if (holding != null) {
                found.add(new Crossing(pair, holding, waiting.request()));
            }
        }
        return found;
    }

    private void tell(Round asked, Crossing crossing, Inspected wanted, Inspected held, long now) {
        Hold hold = crossing.pair.hold;
        String client = text(crossing.client(), asked.clients.get(crossing.client()));
        long token = wanted.holders().stream()
                .filter(holder -> holder.request().equals(crossing.holder))
                .mapToLong(Inspected.Holder::token)
                .findFirst()
                .orElse(0);
        long queuedAt = held.queue().stream()
                .filter(waiting -> waiting.request().equals(crossing.waiter))
                .mapToLong(Inspected.Waiting::sinceMillis)
                .findFirst()
                .orElse(held.server().millis());
        Name name = Name.of(hold);
        Blocked here = DeadlockReport.blocked(crossing.pair.waiting, client, token, now);
        Blocked there = new Blocked(
                client,
                name.kind,
                name.lock,
                hold.owner(),
                hold.token,
                Duration.ofMillis(Math.max(0, held.server().millis() - queuedAt)),
                List.of());
        if (crossing.pair.isOver()) {
            told.remove(crossing.pair);
        } else {
            report.tell(false, List.of(here, there));
        }
    }

    private static String text(String id, @Nullable ClientRecord known) {
        return known == null
                ? "client " + id
                : new ClientInfo(
                                known.id(),
                                known.application(),
                                known.host(),
                                known.pid(),
                                Instant.ofEpochMilli(known.sinceMillis()),
                                known.wireVersion())
                        .toString();
    }
}
