package io.boltwork.engine;

import io.boltwork.machine.LeaseTimes;
import io.boltwork.machine.RenewalClock;
import io.boltwork.machine.Ticker;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
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
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of a client, and verifies those that are fixed: visits each lock when about a third of its lease has passed,
 * together with those whose time comes within the same ninth, and sends what is due in batches. Thread-safe.
 */
final class LeaseRenewer {

    /*
     * With very many locks most of the time goes into waiting for memory. So nothing is looked at that is not due. The success
     * of a batch is noted here, once, for each lock to hear of when it is visited again; until then who wants to know its
     * deadline asks here (RenewalClock). What does not succeed is told to each lock at once. And before locks are visited,
     * a little of each is read: a processor fetches what many have side by side, but what a visit needs one after the other.
     */

    /** Renewals in one command: as many as a server executes within about a millisecond. */
    private static final int BATCH = 128;

    private static final int ROUNDS_PER_LEASE = 9;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Engine engine;

    /** Guards what is planned. */
    private final ReentrantLock planning = new ReentrantLock();

    /** Who is to be visited, by the time. A driver is in one list at most, and knows in which, and its place there. */
    private final TreeMap<Long, List<LockDriver>> visits = new TreeMap<>();

    /** When the next round is; {@link Ticker#NEVER} if there is none. */
    private long next = Ticker.NEVER;

    /** The time of the latest round. What is planned comes after it. */
    private long latest;

    /** When the latest batch was begun; no two of them at the same time. */
    private final AtomicLong begun = new AtomicLong();

    /** Batches of which all leases were prolonged, by when they were begun, for as long as such a lease can last. */
    private final ConcurrentHashMap<Long, Success> successes = new ConcurrentHashMap<>();

    /** Says nothing; what is read to no purpose at all a compiler leaves out. */
    private volatile long fetched;

    /** What a thread collects that has begun to, so that it goes out together. */
    private final ThreadLocal<@Nullable Batches> collected = new ThreadLocal<>();

    /** When a success was heard of, and when the last of its leases will have ended. */
    private record Success(long heardAt, long endsAt) {}

    /**
     * What is renewed, and whose it is.
     *
     * @param watched for how long a success may be asked for
     * @param tacit whether it hears of a success only when it asks
     */
    private record Member(LockDriver driver, Command.Renew.Item item, long watched, boolean tacit) {}

    LeaseRenewer(Engine engine) {
        this.engine = engine;
    }

    // ================================================================ visiting

    /** Plans the visit of a lock for that time, or up to a ninth of its lease later; in place of one that was planned. */
    void visit(LockDriver driver, long at, long leaseNanos) {
        long grain = leaseNanos / ROUNDS_PER_LEASE;
        if (roundUp(at, grain) == driver.visitAt) {
            return; // most often so; if that round has begun, the driver is going to hear of it, and asks again
        }
        planning.lock();
        try {
            drop(driver);
            long round = roundUp(Math.max(at, latest + 1), grain);
            List<LockDriver> drivers = visits.computeIfAbsent(round, r -> new ArrayList<>());
            drivers.add(driver); // first: it may throw
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

    /** There is nothing to visit any more. */
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
        if (drivers != null && isIn(drivers, driver)) { // else nothing was planned, or its round has begun
            LockDriver last = drivers.remove(drivers.size() - 1);
            if (last != driver) {
                drivers.set(driver.place, last);
                last.place = driver.place;
            } else if (drivers.isEmpty()) {
                visits.remove(driver.visitAt); // as large as the most locks at one time have made it
            }
        }
    }

    private static boolean isIn(List<LockDriver> drivers, LockDriver driver) {
        return driver.place < drivers.size() && drivers.get(driver.place) == driver;
    }

    /** Plans the next round anew if an error has cut short what was to begin it. */
    void mend() {
        planning.lock();
        try {
            if (next <= engine.ticker.nanos()) {
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
        engine.scheduler.schedule(() -> round(round), round - engine.ticker.nanos());
    }

    private void round(long round) {
        long now = engine.ticker.nanos();
        if (now < round) {
            schedule(round);
            return;
        }
        @Nullable List<LockDriver> drivers;
        planning.lock();
        try {
            if (next != round) {
                return; // another one was put in its place
            }
            next = Ticker.NEVER;
            latest = round;
            drivers = visits.remove(round);
            plan();
        } finally {
            planning.unlock();
        }
        successes.values().removeIf(success -> now >= success.endsAt);
        if (drivers != null) { // else all have left
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
     * Renewals by partition; what is full goes out. Verifications are apart from renewals: their command has no lease, and what
     * is true of a renewal, that it must not have effect when its lease would have ended, is not true of them.
     */
    private final class Batches {
        private final Map<Integer, Batch> renewals = new HashMap<>();
        private final Map<Integer, Batch> verifications = new HashMap<>();

        long add(Member member) {
            Map<Integer, Batch> open = RenewalClock.isVerification(member.item) ? verifications : renewals;
            int partition = member.driver.partition;
            Batch batch = open.computeIfAbsent(partition, Batch::new);
            batch.add(member);
            if (batch.members.size() == BATCH) {
                open.remove(partition);
                batch.send();
            }
            return batch.begun;
        }

        void send() {
            renewals.values().forEach(Batch::send);
            verifications.values().forEach(Batch::send);
        }
    }

    /** Lets the renewals that {@code events} cause on this thread go out together. */
    void together(Runnable events) {
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
     * Sends a renewal, at once, or {@linkplain #together together} with others. Returns when its batch was begun.
     *
     * @param watched for how long its success may be asked for, in nanoseconds
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

    /** When it was heard that all leases of that batch were prolonged; {@link Ticker#NEVER} if it was not. */
    long renewedAt(long batch) {
        Success success = successes.get(batch);
        return success == null ? Ticker.NEVER : success.heardAt;
    }

    /** Renewals that go out in one command. */
    private final class Batch {
        final int partition;
        final long begun;
        final List<Member> members = new ArrayList<>();
        private boolean tacit;

        /** In milliseconds; {@link Ticker#NEVER} if nothing is prolonged. */
        private long shortest = Ticker.NEVER;

        /** In nanoseconds. */
        private long longest;

        private volatile @Nullable Future<?> patience;

        Batch(int partition) {
            this.partition = partition;
            this.begun = LeaseRenewer.this.begun.accumulateAndGet(
                    engine.ticker.nanos(), (before, now) -> Math.max(before + 1, now));
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
            long valid = Math.min(engine.timing.commandTimeout() / MILLI, shortest);
            long notAfter = engine.clocks.of(partition).millisAt(engine.ticker.nanos()) + valid;
            if (tacit && shortest != Ticker.NEVER) { // a verification without an answer has time until the next visit
                lookAfter(shortest * MILLI);
            }
            engine.backend.send(new Command.Renew(items, notAfter), reply -> {
                engine.heard(partition, reply);
                answered(reply);
            });
        }

        private void answered(Reply reply) {
            boolean done = reply instanceof Reply.Renewed renewed
                    && renewed.items().stream().allMatch(item -> item.outcome() == Reply.Renewal.OK);
            if (done && tacit) {
                successes.put(begun, new Success(engine.ticker.nanos(), begun + longest));
            }
            Future<?> look = patience;
            if (look != null) {
                look.cancel(false);
            }
            for (int i = 0; i < members.size(); i++) {
                Member member = members.get(i);
                if (!done || !member.tacit) {
                    tell(
                            member,
                            reply instanceof Reply.Renewed renewed
                                    ? renewed.items().get(i)
                                    : null);
                }
            }
        }

        private void tell(Member member, Reply.Renewed.@Nullable Item result) {
            engine.post(member.driver, driver -> {
                if (result != null) {
                    driver.machine.renewed(member.item, begun, result);
                } else {
                    driver.machine.renewalFailed(member.item.request());
                }
            });
        }

        /** Sees to those who would hear of a success only, when leases of that length have waited for long enough. */
        private void lookAfter(long lease) {
            long at = begun + LeaseTimes.renewalPatience(lease, engine.timing.commandTimeout());
            patience = engine.scheduler.schedule(() -> unanswered(lease), at - engine.ticker.nanos());
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
