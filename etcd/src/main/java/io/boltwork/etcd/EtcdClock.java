// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.BackendException;
import io.boltwork.store.LeaderClock;
import io.boltwork.store.StoreClock;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The time of an etcd cluster. etcd tells no time. But its leader counts leases down, and tells on request how many
 * whole seconds are left. One lease, which never ends in practice, is the clock of all clients: the seconds that are
 * gone. A new leader begins to count anew, so each term of a leader is another clock.
 *
 * <p>A client that asks before and after a second changes knows more than the second. At first it asks several times
 * within a second; later it asks at the moment at which the second should change, and each answer halves what it does
 * not know.
 *
 * <p>What one client has learned serves all clients of this JVM, whose clock is the same.
 *
 * <p>An answer counts only if one leader was in office all the time: the same member answers a linearizable read before
 * and one after with the same term. Without the first, the answer of an earlier leader could be taken for one of the
 * present leader; without the second, the answer of a later one.
 *
 * <p>Thread-safe.
 */
final class EtcdClock {
    /** The seconds from which the lease is counted down: 31 years. etcd allows 285. */
    static final long GRANTED = 1_000_000_000;

    /** A member that was the leader says of its leases that they never end. A new leader adds less than a minute. */
    private static final long MOST_LEFT = GRANTED + 60;

    /** The time between two notes of how far the clock has come at least. */
    private static final long NOTE_SECONDS = 60;

    private static final long MICROS = 1_000_000;

    /** The part of the tolerance from which on the time is asked for, before anybody must wait for it. */
    private static final int VAGUE = 3;

    /** A second has changed by then. */
    private static final Duration CHANGED = Duration.ofMillis(1_200);
    /** The time has been learned by then, unless members fail. */
    private static final Duration LONGEST = Duration.ofSeconds(4);

    /** The difference between the clocks of this machine from which it counts as having been suspended. */
    private static final long SUSPENDED_MILLIS = 50;

    /** A thread seldom stands still between two readings of clocks, and hardly ever so often in turn. */
    private static final int ATTEMPTS = 3;

    /** The part of the tolerance between two questions: two answers around a change leave open less than half. */
    private static final int PAUSES = 5;

    /** The clocks that clients of this JVM use, by what identifies the data. */
    private static final Map<String, WeakReference<LeaderClock>> CLOCKS = new HashMap<>();

    private final EtcdCalls calls;
    private final EtcdKeys keys;
    private final Duration tolerance;
    private final Map<String, WeakReference<LeaderClock>> clocks;
    /** Held while the leader is asked; no monitor, which would pin virtual threads that wait. */
    private final Lock learning = new ReentrantLock();

    private volatile LeaderClock clock = new LeaderClock();
    private volatile long offsetMillis = offset();

    /**
     * The note that all clients share about the clock.
     *
     * @param lease the lease that is counted down
     * @param term the term in which it was noted
     * @param base the time at which the count of this term began, in seconds since the epoch
     * @param gone the seconds that had gone by at least, by the count of this term
     * @param revision the revision of the note; 0 if there is none
     */
    private record Note(long lease, long term, long base, long gone, long revision) {
        private static final int FIELDS = 4;
        static final Note NONE = new Note(0, 0, 0, 0, 0);

        static Note read(Json kv) {
            String[] fields = new String(kv.bytes("value"), StandardCharsets.UTF_8).split(" ");
            if (fields.length != FIELDS) {
                throw new BackendException(
                        "The key " + new String(kv.bytes("key"), StandardCharsets.UTF_8)
                                + " cannot be read: it is not of this version of Boltwork. Nothing was changed",
                        false,
                        null);
            }
            return new Note(
                    Long.parseLong(fields[0]),
                    Long.parseLong(fields[1]),
                    Long.parseLong(fields[2]),
                    Long.parseLong(fields[3]),
                    kv.number("mod_revision"));
        }

        byte[] data() {
            return EtcdKeys.bytes(String.format(Locale.ROOT, "%d %d %d %d", lease, term, base, gone));
        }
    }

    /** A note as one member told it, with the term of the leader that confirmed it. */
    private record Seen(Note note, String cluster, long term, URI endpoint) {
        boolean isSameLeader(Seen other) {
            return term == other.term && endpoint.equals(other.endpoint) && note.lease == other.note.lease;
        }

        /** Returns the text that identifies the clock, but for the term. */
        String store() {
            return cluster + "-" + Long.toHexString(note.lease);
        }
    }

    /** An answer of the leader: the seconds of the lease that were gone at some moment between sending and answer. */
    private record Sample(long gone, long sent, long answered) {}

    EtcdClock(EtcdCalls calls, EtcdKeys keys, Duration tolerance) {
        this(calls, keys, tolerance, CLOCKS);
    }

    /** @param clocks what clients have learned */
    EtcdClock(EtcdCalls calls, EtcdKeys keys, Duration tolerance, Map<String, WeakReference<LeaderClock>> clocks) {
        this.clocks = clocks;
        this.calls = calls;
        this.keys = keys;
        this.tolerance = tolerance;
    }

    /** Returns the time now. Asks the leader if it is not known exactly enough, or if there is another leader. */
    StoreClock now() {
        Optional<StoreClock> known = known();
        return known.isPresent() ? known.get() : measure();
    }

    private Optional<StoreClock> known() {
        long offset = offset();
        if (offset != 0 && Math.abs(offset - offsetMillis) > SUSPENDED_MILLIS) {
            offsetMillis = offset;
            clock.forget(); // the clock by which time is measured may have stood still
        }
        return clock.epoch() < calls.term() ? Optional.empty() : clock.read(tolerance);
    }

    /** Returns the difference between the two clocks of this machine, in milliseconds; 0 if it cannot be told now. */
    private static long offset() {
        for (int i = 0; i < ATTEMPTS; i++) {
            long before = System.nanoTime();
            long wall = System.currentTimeMillis();
            if (System.nanoTime() - before < TimeUnit.MILLISECONDS.toNanos(1)) { // else this thread stood still
                return wall - TimeUnit.NANOSECONDS.toMillis(before);
            }
        }
        return 0;
    }

    private StoreClock measure() {
        long begun = System.nanoTime();
        learning.lock();
        try {
            do {
                Optional<StoreClock> known = known();
                if (known.isPresent()) {
                    return known.get();
                }
                learn(true);
            } while (System.nanoTime() - begun < LONGEST.toNanos());
        } finally {
            learning.unlock();
        }
        throw new BackendException(
                "etcd at " + calls.address() + " answers too slowly to tell its time within " + tolerance.toMillis()
                        + " ms, or changes its leader again and again",
                true,
                null);
    }

    /** Takes the clock of the data that are there: the servers may have been replaced. */
    void connect() {
        clock = clockOf(seen().store());
    }

    private LeaderClock clockOf(String store) {
        synchronized (clocks) {
            clocks.values().removeIf(unused -> unused.get() == null);
            WeakReference<LeaderClock> used = clocks.get(store);
            LeaderClock known = used == null ? null : used.get();
            if (known == null) {
                known = new LeaderClock();
                clocks.put(store, new WeakReference<>(known));
            }
            return known;
        }
    }

    /**
     * Asks once more if the time is known only vaguely, at the moment at which the answer tells the most. Blocks for up
     * to a second. What is not known grows by 2 % of the time, and an answer halves it.
     */
    void refresh() {
        if (clock.read(tolerance.dividedBy(VAGUE)).isEmpty()) {
            pause(clock.untilNextSecond());
            learning.lock();
            try {
                learn(false);
            } finally {
                learning.unlock();
            }
        }
    }

    /**
     * Learns from answers of the leader.
     *
     * @param patient whether to ask until a second changes
     */
    private void learn(boolean patient) {
        Seen before = seen();
        if (before.note().lease() == 0) {
            replace(before.note());
            return;
        }
        LeaderClock own = new LeaderClock();
        Duration enough = tolerance.dividedBy(2); // it must do until it is refreshed
        List<Sample> samples = new ArrayList<>();
        long begun = System.nanoTime();
        do {
            if (!samples.isEmpty()) {
                pause(tolerance.dividedBy(PAUSES));
            }
            Sample sample = sample(before.note());
            if (sample == null) {
                replace(before.note());
                return;
            }
            samples.add(sample);
            learn(own, before, sample);
        } while (patient && own.read(enough).isEmpty() && System.nanoTime() - begun < CHANGED.toNanos());
        Seen after = seen();
        if (after.isSameLeader(before)) {
            boolean isLess = before.note().term() == after.term()
                    && samples.get(0).gone() < before.note().gone();
            take(after, samples, isLess);
        }
    }

    /** @param isLess whether less is gone than had been noted before */
    private void take(Seen seen, List<Sample> samples, boolean isLess) {
        if (seen.term() < calls.term()) { // the servers have got an old copy of their data
            clock.forget();
            calls.forgetTerm(seen.term());
        }
        Note note = seen.note();
        long gone = samples.get(samples.size() - 1).gone();
        if (note.term() != seen.term()) {
            long base = Math.max(wallSeconds() - gone, note.base() + note.gone() + 1); // tokens grow
            write(new Note(note.lease(), seen.term(), base, gone, note.revision()));
            return; // learned by the note that all clients share
        }
        clock = clockOf(seen.store());
        boolean isRight = !isLess;
        for (Sample sample : samples) {
            isRight &= learn(clock, seen, sample);
        }
        if (!isRight) { // the leader has begun to count anew within its term, or the data are an old copy
            clock.forget();
            replace(note);
            return;
        }
        if (gone > note.gone() + NOTE_SECONDS) {
            write(new Note(note.lease(), note.term(), note.base(), gone, note.revision()));
        }
    }

    private static long wallSeconds() {
        return TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
    }

    private static boolean learn(LeaderClock clock, Seen seen, Sample sample) {
        long from = (seen.note().base() + sample.gone()) * MICROS;
        return clock.learn(seen.store(), seen.term(), from, from + MICROS, sample.sent(), sample.answered());
    }

    /** Reads the note. */
    private Seen seen() {
        EtcdCalls.Answer answer = calls.call("kv/range", Map.of("key", keys.clock()));
        List<Json> found = answer.body().list("kvs");
        Json header = answer.header();
        return new Seen(
                found.isEmpty() ? Note.NONE : Note.read(found.get(0)),
                Long.toHexString(header.number("cluster_id")),
                header.number("raft_term"),
                answer.endpoint());
    }

    /** Asks how much of the lease is gone; {@code null} if there is no such lease. */
    private @Nullable Sample sample(Note note) {
        EtcdCalls.Answer answer = calls.call("lease/timetolive", Map.of("ID", note.lease()));
        long left = answer.body().number("TTL");
        if (left < 0) {
            return null;
        }
        if (left > MOST_LEFT) {
            throw new BackendException("The leader of etcd at " + answer.endpoint() + " has changed", true, null);
        }
        // the seconds that are left are rounded down
        return new Sample(GRANTED - left - 1, answer.sent(), answer.answered());
    }

    /** Makes a new clock in place of one that does not exist, or that cannot be trusted. */
    private void replace(Note note) {
        long lease = calls.call("lease/grant", Map.of("TTL", GRANTED)).body().number("ID");
        if (!write(new Note(lease, 0, note.base(), note.gone(), note.revision()))) {
            calls.call("lease/revoke", Map.of("ID", lease), EtcdCalls.NOT_FOUND);
        }
    }

    /** Writes the note if nobody has written it meanwhile. */
    private boolean write(Note note) {
        return calls.call(
                        "kv/txn",
                        Map.of(
                                "compare",
                                List.of(Map.of(
                                        "key",
                                        keys.clock(),
                                        "target",
                                        "MOD",
                                        "result",
                                        "EQUAL",
                                        "mod_revision",
                                        note.revision())),
                                "success",
                                List.of(Map.of("request_put", Map.of("key", keys.clock(), "value", note.data())))))
                .body()
                .flag("succeeded");
    }

    private static void pause(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            throw new BackendException("The wait for the time of etcd was interrupted", true, end);
        }
    }
}
