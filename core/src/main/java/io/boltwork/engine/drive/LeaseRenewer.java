// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.LockKind;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.machine.request.RenewalClock;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.rules.LeaseTimes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of a client, and verifies fixed ones. Visits each lock when about a third of its lease has passed,
 * together with the locks that are due within the same ninth of a lease, and sends the commands in batches.
 * Thread-safe.
 */
public final class LeaseRenewer {

    /*
     * With very many locks, most of the time is spent waiting for memory. Therefore locks that are not due are not
     * touched. The success of a batch is noted here once, and each lock learns of it at its next visit; until then,
     * RenewalClock asks here. Each lock learns of a failure at once. Before locks are visited, a little of each is
     * read: the processor fetches the memory of many locks in parallel, but the memory of one visit in sequence.
     */

    /** The largest number of renewals in one command. A server executes them within about a millisecond. */
    private static final int BATCH = 128;

    /** The same for shared locks, of which a server executes half as many in that time. */
    private static final int SHARED_BATCH = 64;

    private static final int ROUNDS_PER_LEASE = 9;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** The time between two warnings of leases that are about to end. */
    private static final long QUIET = TimeUnit.MINUTES.toNanos(1);

    private final ClientCore core;
    private final LockDrivers drivers;

    /** Guards the plans: the fields down to {@link #latest}. */
    private final ReentrantLock planning = new ReentrantLock();

    /** The drivers to be visited, by time. A driver is in at most one list, and knows which one and its place there. */
    private final TreeMap<Long, List<LockDriver>> visits = new TreeMap<>();

    /** The time of the next round; {@link Ticker#NEVER} if there is none. */
    private long next = Ticker.NEVER;

    /** The time of the latest round. New plans are for later times. */
    private long latest;

    /** The time at which the latest batch was begun. No two batches have the same time. */
    private final AtomicLong begun = new AtomicLong();

    /**
     * The batches that succeeded as a whole, by the time at which they were begun, for as long as their leases can
     * last.
     */
    private final ConcurrentHashMap<Long, Success> successes = new ConcurrentHashMap<>();

    /** The time before which there is no other warning. */
    private final AtomicLong quietUntil;

    /** Is told of the answer to each batch. */
    private volatile Consumer<Reply> observer = reply -> {};

    /** A sink that keeps the compiler from removing the prefetch reads. */
    private volatile long fetched;

    /** The batches of a thread that collects renewals to send them together. */
    private final ThreadLocal<@Nullable Batches> collected = new ThreadLocal<>();

    /** The success of a batch: the time of its answer, and the time by which the last of its leases has ended. */
    private record Success(long heardAt, long endsAt) {}

    /**
     * A renewal and the driver of its lock.
     *
     * @param watched the time for which the lock may ask for the success
     * @param tacit whether the lock learns of a success only by asking
     */
    private record Member(LockDriver driver, Command.Renew.Item item, long watched, boolean tacit) {}

    LeaseRenewer(ClientCore core, LockDrivers drivers) {
        this.core = core;
        this.drivers = drivers;
        this.quietUntil = new AtomicLong(core.ticker.nanos());
    }

    /** Returns whether it is time for another warning. If so, the next one comes a minute later at the earliest. */
    boolean mayWarn() {
        long now = core.ticker.nanos();
        long quiet = quietUntil.get();
        return now >= quiet && quietUntil.compareAndSet(quiet, now + QUIET);
    }

    /** Sets the recipient of the answers to batches. */
    public void observe(Consumer<Reply> answers) {
        observer = answers;
    }

    // ================================================================ visiting

    /** Plans the visit of a lock for a time, or up to a ninth of its lease later. Replaces an earlier plan. */
    public void visit(LockDriver driver, long at, long leaseNanos) {
        long grain = leaseNanos / ROUNDS_PER_LEASE;
        if (roundUp(at, grain) == driver.visitAt) {
            return; // the usual case; if that round has begun, its visit makes the driver ask again
        }
        planning.lock();
        try {
            drop(driver);
            long round = roundUp(Math.max(at, latest + 1), grain);
            List<LockDriver> drivers = visits.computeIfAbsent(round, r -> new ArrayList<>());
            drivers.add(driver); // first, because it may throw
            driver.visitAt = round;
            driver.place = drivers.size() - 1;
            plan();
        } finally {
            planning.unlock();
        }
    }

    private static long roundUp(long at, long grain) {
        return (at + grain - 1) / grain * grain;
    }

    /** Drops the plan for a lock. */
    void forget(LockDriver driver) {
        planning.lock();
        try {
            drop(driver);
        } finally {
            planning.unlock();
        }
    }

    private void drop(LockDriver driver) {
        List<LockDriver> drivers = visits.get(driver.visitAt);
        if (drivers != null && isIn(drivers, driver)) { // else there is no plan, or its round has begun
            LockDriver last = drivers.remove(drivers.size() - 1);
            if (last != driver) {
                drivers.set(driver.place, last);
                last.place = driver.place;
            } else if (drivers.isEmpty()) {
                visits.remove(driver.visitAt); // the list does not shrink by itself
            }
        }
    }

    private static boolean isIn(List<LockDriver> drivers, LockDriver driver) {
        return driver.place < drivers.size() && drivers.get(driver.place) == driver;
    }

    /** Returns the number of planned visits. */
    int planned() {
        planning.lock();
        try {
            return visits.values().stream().mapToInt(List::size).sum();
        } finally {
            planning.unlock();
        }
    }

    /** Plans the next round again if an error has cut its beginning short. */
    public void mend() {
        planning.lock();
        try {
            if (next <= core.ticker.nanos()) {
                next = Ticker.NEVER;
            }
            plan();
        } finally {
            planning.unlock();
        }
    }

    private void plan() {
        if (!visits.isEmpty() && visits.firstKey() < next) {
            next = visits.firstKey();
            schedule(next);
        }
    }

    private void schedule(long round) {
        core.scheduler.schedule(() -> round(round), round - core.ticker.nanos());
    }

    private void round(long round) {
        long now = core.ticker.nanos();
        if (now < round) {
            schedule(round);
            return;
        }
        @Nullable List<LockDriver> drivers;
        planning.lock();
        try {
            if (next != round) {
                return; // replaced by another round
            }
            next = Ticker.NEVER;
            latest = round;
            drivers = visits.remove(round);
            plan();
        } finally {
            planning.unlock();
        }
        successes.values().removeIf(success -> now >= success.endsAt);
        if (drivers != null) { // else all plans were dropped
            visitAll(drivers, round);
        }
    }

    private void visitAll(List<LockDriver> drivers, long round) {
        Mailbox.Event<LockDriver> visit = driver -> driver.visited(round);
        together(() -> {
            for (int first = 0; first < drivers.size(); first += BATCH) {
                List<LockDriver> some = drivers.subList(first, Math.min(first + BATCH, drivers.size()));
                fetched = some.stream().mapToLong(LockDriver::fetch).sum();
                some.forEach(driver -> driver.post(visit));
            }
        });
    }

    // ================================================================ renewing

    /**
     * Open batches by partition and by whether the locks are shared. A full batch is sent at once. Verifications are
     * separate from renewals: they have no lease, and therefore need not become stale when a lease would have ended, as
     * renewals must.
     */
    private final class Batches {
        private final Map<Integer, Batch> renewals = new HashMap<>();
        private final Map<Integer, Batch> verifications = new HashMap<>();

        long add(Member member) {
            Map<Integer, Batch> open = RenewalClock.isVerification(member.item) ? verifications : renewals;
            int partition = member.driver.partition;
            // leases of shared locks have commands of their own
            boolean shared = member.driver.kind() != LockKind.LOCK;
            int group = shared ? -1 - partition : partition;
            Batch batch = open.computeIfAbsent(group, g -> new Batch(partition));
            batch.add(member);
            if (batch.members.size() == (shared ? SHARED_BATCH : BATCH)) {
                open.remove(group);
                batch.send();
            }
            return batch.begun;
        }

        void send() {
            renewals.values().forEach(Batch::send);
            verifications.values().forEach(Batch::send);
        }
    }

    /** Runs {@code events} and sends the renewals that they cause on this thread together. */
    public void together(Runnable events) {
        Batches batches = new Batches();
        collected.set(batches);
        try {
            events.run();
        } finally {
            collected.remove();
        }
        batches.send();
    }

    /**
     * Sends a renewal, at once or {@linkplain #together together} with others. Returns the time at which its batch was
     * begun.
     *
     * @param watched the time in nanoseconds for which the lock may ask for the success
     */
    long renew(LockDriver driver, Command.Renew.Item item, long watched, boolean tacit) {
        Member member = new Member(driver, item, watched, tacit);
        Batches batches = collected.get();
        if (batches != null) {
            return batches.add(member);
        }
        Batch alone = new Batch(driver.partition);
        alone.add(member);
        alone.send();
        return alone.begun;
    }

    /** The time of the answer by which a whole batch succeeded; {@link Ticker#NEVER} if there is none. */
    long renewedAt(long batch) {
        Success success = successes.get(batch);
        return success == null ? Ticker.NEVER : success.heardAt;
    }

    /** The renewals of one command. */
    private final class Batch {
        final int partition;
        final long begun;
        final List<Member> members = new ArrayList<>();
        private boolean tacit;

        /** The shortest lease in milliseconds; {@link Ticker#NEVER} if there are only verifications. */
        private long shortest = Ticker.NEVER;

        /** The longest time in nanoseconds for which a lock may ask for the success. */
        private long longest;

        private volatile @Nullable Future<?> patience;

        Batch(int partition) {
            this.partition = partition;
            this.begun = LeaseRenewer.this.begun.accumulateAndGet(
                    core.ticker.nanos(), (before, now) -> Math.max(before + 1, now));
        }

        void add(Member member) {
            members.add(member);
            tacit |= member.tacit;
            if (!RenewalClock.isVerification(member.item)) {
                shortest = Math.min(shortest, member.item.leaseMillis());
            }
            longest = Math.max(longest, member.watched);
        }

        void send() {
            List<Command.Renew.Item> items = new ArrayList<>(members.size());
            members.forEach(member -> items.add(member.item));
            long valid = Math.min(core.timing.commandTimeout() / MILLI, shortest);
            long notAfter = core.clocks.of(partition).millisAt(core.ticker.nanos()) + valid;
            if (tacit && shortest != Ticker.NEVER) { // a verification without an answer has time until the next visit
                lookAfter(shortest * MILLI);
            }
            core.backend.send(new Command.Renew(items, notAfter), reply -> {
                core.heard(partition, reply);
                observer.accept(reply);
                answered(reply);
            });
        }

        private void answered(Reply reply) {
            boolean done = reply instanceof Reply.Renewed renewed
                    && renewed.items().stream().allMatch(item -> item.outcome() == Reply.Renewal.OK);
            if (done && tacit) {
                successes.put(begun, new Success(core.ticker.nanos(), begun + longest));
            }
            Future<?> look = patience;
            if (look != null) {
                look.cancel(false);
            }
            for (int i = 0; i < members.size(); i++) {
                Member member = members.get(i);
                if (reply instanceof Reply.Failed failed) {
                    drivers.post(
                            member.driver, driver -> driver.machine.renewalFailed(member.item, begun, failed.cause()));
                } else if (reply instanceof Reply.Renewed renewed && !(done && member.tacit)) {
                    Reply.Renewed.Item result = renewed.items().get(i);
                    drivers.post(member.driver, driver -> driver.machine.renewed(member.item, begun, result));
                }
            }
        }

        /** Visits the locks that wait tacitly, if the batch is unanswered after the patience of that lease. */
        private void lookAfter(long lease) {
            long at = begun + LeaseTimes.renewalPatience(lease, core.timing.commandTimeout());
            patience = core.scheduler.schedule(() -> unanswered(lease), at - core.ticker.nanos());
        }

        private void unanswered(long lease) {
            together(() -> {
                for (Member member : members) {
                    if (member.tacit) {
                        member.driver.post(driver -> driver.machine.visited());
                    }
                }
            });
            if (lease < longest) {
                lookAfter(longest);
            }
        }
    }
}
