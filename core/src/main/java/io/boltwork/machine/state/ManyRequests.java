// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import io.boltwork.machine.request.Pending;
import io.boltwork.machine.request.RecoveryTally;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Request.State;
import io.boltwork.machine.request.RequestObserver;
import io.boltwork.machine.request.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one lock when there are more than a few. Limits how many of them have a command under way; the others
 * wait in line. The cost of an ordinary event grows at most with the logarithm of their number. Belongs to the lock's
 * machine.
 */
public final class ManyRequests {

    /*
     * An entry observes its request and notes each change (Request.pending). The consequences are worked out once,
     * after the event (settle): when the request has something to do, and whether a command about it is under way.
     *
     * An event that concerns all requests (a new connection, a server that has forgotten the queue) starts a pass over
     * them in the order of their numbers. A request that another event finds before the pass has reached it is prepared
     * at once, so that each answer and each grant means the same as if the pass had happened in one moment.
     */

    /**
     * The largest number of requests that a pass examines in one event, and that {@link #due} returns. The rest follow
     * at once, in the next event.
     */
    static final int LOOKS = 64;

    /**
     * One place in this many is kept for tries, polls, and withdrawals of unwanted grants, which do not wait in line.
     */
    private static final int RESERVE_PART = 16;

    /** One of the requests. */
    private static final class Entry implements RequestObserver {
        final Request request;
        private final ManyRequests home;

        /**
         * The time at which the request has something to do. The entry is in the schedule unless that is
         * {@link Ticker#NEVER}.
         */
        private long at = Ticker.NEVER;

        /** True if the entry is among the changes. */
        private boolean changed;

        /** The pass that the request is prepared for. */
        private @Nullable Pass pass;

        /** True if that pass must ask for the request again. */
        private boolean asksAgain;

        private Entry(Request request, ManyRequests home) {
            this.request = request;
            this.home = home;
        }

        @Override
        public void changed() {
            if (!changed) {
                home.changes.add(this); // first: memory may run out here
                changed = true;
            }
        }

        @Override
        public void sent() {
            asksAgain = false;
            home.leaveLine(this);
            home.underWay.add(this);
        }
    }

    /** A pass in which all queued requests ask again, oldest first. */
    private static final class Pass {
        private final long since;
        private final long last;

        /** True if the connection was replaced; false if the server has forgotten requests. */
        private final boolean connected;

        private final RecoveryTally recovery;
        private long next = Long.MIN_VALUE;

        Pass(long since, long last, boolean connected, RecoveryTally recovery) {
            this.since = since;
            this.last = last;
            this.connected = connected;
            this.recovery = recovery;
        }

        boolean concerns(long number) {
            return number >= next && number <= last;
        }

        /** Changes the request as the pass requires, without sending. */
        void prepare(Entry entry) {
            if (entry.pass == this) {
                return;
            }
            entry.pass = this;
            Request request = entry.request;
            Pending pending = request.pending();
            if (request.state == State.WANTED) {
                boolean askedSince = pending.awaitedSince > since;
                if (connected) {
                    request.connectionReplaced(since);
                    entry.asksAgain = !request.tryOnly && !askedSince;
                } else if (request.queuedAtServer && !askedSince) {
                    request.queuedAtServer = false;
                    pending.askAgain = request.isAwaiting();
                    entry.asksAgain = !request.isAwaiting();
                }
            } else if (connected && request.state != State.HELD && request.state != State.LOST) {
                request.repeatsAt(since);
            }
        }
    }

    private final int limit;
    private final TreeMap<Long, Entry> all = new TreeMap<>();
    private final TreeSet<Entry> schedule = new TreeSet<>(Comparator.<Entry>comparingLong(entry -> entry.at)
            .thenComparingLong(entry -> Math.abs(entry.request.number)));
    private final List<Entry> changes = new ArrayList<>();

    /** Requests with a command that is under way, or about to be repeated. */
    private final Set<Entry> underWay = new LinkedHashSet<>();

    /** Requests that wait in line to ask. The two lines take turns. */
    private final Set<Entry> asks = new LinkedHashSet<>();

    /** Requests that wait in line to be withdrawn. */
    private final Set<Entry> withdrawals = new LinkedHashSet<>();

    private boolean asksNext;

    private @Nullable Pass pass;
    private int looks;

    /** The number of requests examined. */
    private long looked;

    /**
     * Takes over the few requests that exist.
     *
     * @param limit how many commands may be under way
     */
    ManyRequests(Iterable<Request> few, int limit) {
        this.limit = limit;
        few.forEach(this::add);
    }

    void add(Request request) {
        Entry entry = new Entry(request, this);
        request.observer = entry;
        all.put(request.number, entry);
        entry.changed();
        if (request.isUnderWay()) {
            underWay.add(entry);
        }
    }

    @Nullable
    Request get(long number) {
        Entry entry = all.get(number);
        if (entry == null) {
            return null;
        }
        looked++;
        if (pass != null && pass.concerns(number)) {
            pass.prepare(entry);
        }
        return entry.request;
    }

    void remove(Request request) {
        Entry entry = entryOf(request);
        if (entry == null || all.get(request.number) != entry) {
            return;
        }
        all.remove(request.number);
        request.observer = null;
        leaveLine(entry);
        underWay.remove(entry);
        plan(entry, Ticker.NEVER);
        if (all.isEmpty()) {
            endPass();
        }
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    List<Request> list() {
        return all.values().stream().map(entry -> entry.request).toList();
    }

    /** Returns how many requests were examined so far. */
    public long looked() {
        return looked;
    }

    // ================================================================ under way, and in line

    /** Returns whether a command about the request may be sent now. If not, the request waits in line from now on. */
    boolean admits(Request request) {
        Entry entry = entry(request);
        boolean withdrawal = request.state == State.WITHDRAWING;
        if (underWay.contains(entry)
                || isRoom() && (withdrawal ? withdrawals.isEmpty() : asks.isEmpty() && pass == null)) {
            return true;
        }
        leaveLine(entry);
        request.pending().dueAt = Ticker.NEVER;
        (withdrawal ? withdrawals : asks).add(entry);
        return false;
    }

    /** Returns whether the request waits in line. */
    boolean isInLine(Request request) {
        Entry entry = entryOf(request);
        return entry != null && (asks.contains(entry) || withdrawals.contains(entry));
    }

    /** Returns whether new commands must wait in line. */
    boolean isFull() {
        return !isRoom() || !asks.isEmpty() || pass != null;
    }

    private boolean isRoom() {
        return underWay.size() < limit - limit / RESERVE_PART;
    }

    private void leaveLine(Entry entry) {
        asks.remove(entry);
        withdrawals.remove(entry);
    }

    /** Returns the entry of a request; {@code null} if it is not one of many. Entries are the only observers. */
    private static @Nullable Entry entryOf(Request request) {
        return (Entry) request.observer;
    }

    private static Entry entry(Request request) {
        Entry entry = entryOf(request);
        if (entry == null) {
            throw new IllegalArgumentException(request + " is not one of many");
        }
        return entry;
    }

    /** Begins to send the commands that follow from an event. */
    public void begin() {
        looks = 0;
    }

    /** Returns the next request in line about which a command may be sent now; {@code null} if there is none. */
    @Nullable
    public Request next(long commandTimeout) {
        settle(commandTimeout);
        if (!isRoom()) {
            return null;
        }
        asksNext = !asksNext;
        Entry next = asksNext || withdrawals.isEmpty() ? nextToAsk() : null;
        if (next == null) {
            next = first(withdrawals);
        }
        return next == null ? null : next.request;
    }

    private @Nullable Entry nextToAsk() {
        Entry again = nextOfPass();
        return again != null || pass != null ? again : first(asks);
    }

    private static @Nullable Entry first(Set<Entry> line) {
        Iterator<Entry> entries = line.iterator();
        return entries.hasNext() ? entries.next() : null;
    }

    // ================================================================ passes

    /** Begins a pass, because the connection was replaced at that time. */
    public void connected(long now, RecoveryTally recovery) {
        // commands that were sent before are lost, and must not keep the others waiting
        for (Entry entry : List.copyOf(underWay)) {
            entry.request.givesUpAnswer(now);
        }
        recovery.addOutcome();
        begin(new Pass(now, lastNumber(), true, recovery));
    }

    /** Begins a pass, because the server has forgotten that request, and perhaps all others. */
    public void askOthers(@Nullable Request forgotten, long now) {
        Pass before = pass;
        boolean connected = before != null && before.connected;
        RecoveryTally recovery = before == null ? new RecoveryTally() : before.recovery;
        recovery.addOutcome();
        Pass others = new Pass(now, lastNumber(), connected, recovery);
        Entry entry = forgotten == null ? null : entryOf(forgotten);
        if (entry != null) {
            entry.pass = others;
        }
        begin(others);
    }

    private void begin(Pass next) {
        endPass();
        pass = next;
    }

    private long lastNumber() {
        return all.isEmpty() ? Long.MIN_VALUE : all.lastKey();
    }

    private void endPass() {
        Pass ended = pass;
        if (ended != null) {
            pass = null;
            ended.recovery.done();
        }
    }

    private @Nullable Entry nextOfPass() {
        Pass current = pass;
        while (current != null && looks < LOOKS) {
            Map.Entry<Long, Entry> found = all.ceilingEntry(current.next);
            if (found == null || found.getKey() > current.last) {
                endPass();
                return null;
            }
            looks++;
            looked++;
            Entry entry = found.getValue();
            current.prepare(entry);
            current.next = found.getKey() + 1;
            if (entry.asksAgain && entry.request.state == State.WANTED) {
                current.recovery.askedAgain();
                return entry;
            }
        }
        return null;
    }

    /** Stops asking, because the client is being closed. */
    public void stopAsking() {
        asks.clear();
        endPass();
    }

    // ================================================================ time

    /** Returns some of the requests that have something to do at that time. */
    List<Request> due(long now, long commandTimeout) {
        settle(commandTimeout);
        List<Request> due = new ArrayList<>();
        for (Entry entry : schedule) {
            if (entry.at > now || due.size() == LOOKS) {
                break;
            }
            looked++;
            due.add(entry.request);
        }
        return due;
    }

    /** Returns the requests whose holds are lost and not unwound. */
    public List<Request> lost(long commandTimeout) {
        settle(commandTimeout);
        return schedule.stream() // each of them has a time at which nothing of it can be left
                .map(entry -> entry.request)
                .filter(request -> request.state == State.LOST)
                .toList();
    }

    /** Returns when the first request has something to do. The held one is not included. */
    long wakeAt(long now, long commandTimeout) {
        settle(commandTimeout);
        if (pass != null && looks == LOOKS && isRoom()) {
            return now;
        }
        return schedule.isEmpty() ? Ticker.NEVER : schedule.first().at;
    }

    private void settle(long commandTimeout) {
        for (int i = 0; i < changes.size(); i++) {
            settle(changes.get(i), commandTimeout);
        }
        changes.clear();
    }

    private void settle(Entry entry, long commandTimeout) {
        Request request = entry.request;
        looked++;
        if (request.observer == entry) {
            plan(entry, isPlannedElsewhere(request) ? Ticker.NEVER : request.wakeAt(commandTimeout));
            if (request.isUnderWay()) {
                underWay.add(entry);
            } else {
                underWay.remove(entry);
                if (request.state == State.WITHDRAWING && request.pending().dueAt == Ticker.NEVER) {
                    withdrawals.add(entry); // its last acquire has been answered
                }
            }
        }
        entry.changed = false;
    }

    /** Returns whether the machine itself looks after a request: it is the only one that is held. */
    private static boolean isPlannedElsewhere(Request request) {
        return request.state == State.HELD && request.part == null;
    }

    private void plan(Entry entry, long at) {
        if (entry.at != at) {
            if (entry.at != Ticker.NEVER) {
                schedule.remove(entry);
            }
            entry.at = at;
            if (at != Ticker.NEVER) {
                schedule.add(entry);
            }
        }
    }
}
