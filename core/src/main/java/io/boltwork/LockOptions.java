// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Durations;
import io.boltwork.spi.Settings;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Defines how a lock is held: for how long, in which order waiters get it, and what happens if the lease is lost.
 * Immutable; two instances with the same settings are equal.
 *
 * <!-- snippet: ClassExamples.java#LockOptions -->
 * <pre>{@code
 * LockOptions nightly = LockOptions.renewedLease(Duration.ofSeconds(30))
 *         .withMinHold(Duration.ofMinutes(5))    // no second run, though the job takes a second
 *         .withMaxHold(Duration.ofHours(2));     // but no run holds it for ever
 * }</pre>
 *
 * <p>Nested acquisitions use the options of the outermost one. Clients may use a lock with different options at the
 * same time; each hold follows the options with which it was acquired.
 *
 * @since 0.1.0
 */
public final class LockOptions {

    /**
     * The shortest lease that is renewed. If it were shorter, renewals would arrive too late on an ordinary network.
     */
    private static final Duration SHORTEST_RENEWED = Duration.ofMillis(100);

    /** The shortest lease of any kind: 2 ms and 1 % of a lease are set aside for rounding and for clock drift. */
    private static final Duration SHORTEST = Duration.ofMillis(10);

    private static final Duration LONGEST = Duration.ofDays(365);

    /**
     * The leases of locks that may be retained: not much is lost by a crash, and a third is time enough for a renewal.
     */
    private static final Duration SHORTEST_RETAINED = Duration.ofSeconds(1);

    private static final Duration LONGEST_RETAINED = Duration.ofSeconds(10);

    private static final LockOptions DEFAULTS = new LockOptions(new Values());

    private final Values values;

    private static final class Values extends Settings {
        Duration lease = Duration.ofSeconds(30);
        boolean renewed = true;
        Fairness fairness = Fairness.BATCHED;

        @Nullable
        Duration maxHold;

        Duration minHold = Duration.ZERO;
        Duration takeoverDelay = Duration.ZERO;
        OnLoss onLoss = OnLoss.NOTIFY;
        Release release = Release.AWAITED;

        @Nullable
        Replication replication;

        @Nullable
        Duration retention;

        private List<@Nullable Object> all() {
            return Arrays.asList(
                    lease, renewed, fairness, maxHold, minHold, takeoverDelay, onLoss, release, replication, retention);
        }
    }

    private LockOptions(Values values) {
        this.values = values;
        Duration longest = values.maxHold;
        if (longest != null && values.minHold.compareTo(longest) > 0) {
            throw new IllegalArgumentException("minHold must not be longer than maxHold, but is "
                    + Durations.text(values.minHold) + " and maxHold " + Durations.text(longest));
        }
        if (!values.renewed && values.minHold.compareTo(values.lease) > 0) {
            throw new IllegalArgumentException("minHold must not be longer than a fixed lease, but is "
                    + Durations.text(values.minHold) + " and the lease " + Durations.text(values.lease));
        }
        if (values.retention != null) {
            checkRetention(values);
        }
    }

    private LockOptions with(Consumer<Values> change) {
        return new LockOptions(Settings.changed(values, change));
    }

    private static void checkRetention(Values values) {
        Duration lease = values.lease;
        if (!values.renewed || lease.compareTo(SHORTEST_RETAINED) < 0 || lease.compareTo(LONGEST_RETAINED) > 0) {
            throw new IllegalArgumentException(
                    "retention needs a renewed lease of 1 s to 10 s, because a retained lock stays"
                            + " taken until its lease ends if its client dies, but is combined with a "
                            + (values.renewed ? "renewed" : "fixed") + " lease of " + Durations.text(lease));
        }
        if (values.fairness == Fairness.FIFO
                || values.maxHold != null
                || !values.minHold.isZero()
                || !values.takeoverDelay.isZero()
                || values.replication != null) {
            throw new IllegalArgumentException("retention cannot be combined with fairness FIFO, maxHold, minHold,"
                    + " takeoverDelay or replication, because a retained lock changes its owner without the backend");
        }
    }

    /** The order in which waiters get a lock. */
    public enum Fairness {
        /**
         * Waiters of one client are served in their order, and clients take turns. During its turn a client hands the
         * lock over from one of its threads to the next in memory, for {@linkplain ClientOptions#withSlice a slice} of
         * time, provided both use equal options and a renewed lease. The throughput on a contended lock is many times
         * that of FIFO.
         */
        BATCHED,
        /**
         * Requests are served strictly in the order in which they arrived at the backend, across threads, clients and
         * JVMs. Each acquisition makes its own request on the backend; the lock is never handed over in memory.
         */
        FIFO
    }

    /** The effect on the holder if its lease is lost, in addition to the completion of {@link Lease#whenLost()}. */
    public enum OnLoss {
        /** No further effect: the holder asks ({@link Lease#isValid()}) or listens. */
        NOTIFY,
        /**
         * The thread that holds the lock is interrupted, once, and only while it still holds the lock. Not available
         * for asynchronous leases.
         */
        INTERRUPT
    }

    /** The moment at which a release returns, or at which the stage of an asynchronous release completes. */
    public enum Release {
        /** The backend has answered: the lock is free, or its loss is known and thrown. */
        AWAITED,
        /**
         * The release has been sent. A lock that no other owner wants then costs one round trip instead of two. The
         * price:
         *
         * <ul>
         *   <li>For a moment, other clients still find the lock taken.
         *   <li>A loss that only the backend knows is not thrown but reported to {@link Lease#whenLost()} and to
         *       listeners.
         *   <li>A missing answer is reported to {@linkplain LockListener#releaseFailed listeners}.
         *   <li>If the JVM ends right after the release and without {@link LockClient#close()}, the lock may stay taken
         *       until the end of its lease.
         * </ul>
         *
         * <p>These promises remain: everything that this client sends for the lock afterwards arrives after the
         * release, the release is repeated until it is answered, and it never harms the hold of another owner.
         */
        SENT
    }

    /**
     * Returns the default options: a lease of 30 s that is renewed every 10 s while the lock is held,
     * {@link Fairness#BATCHED}, no bounds on the hold, no takeover delay, {@link OnLoss#NOTIFY},
     * {@link Release#AWAITED}, no replicas, no retention.
     *
     * @return the defaults
     */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns options with a lease that is renewed whenever a third of its length has passed, for as long as the lock
     * is held (the <em>watchdog</em>), and with the {@link #defaults()} for everything else. If the JVM dies or is cut
     * off, the lock becomes free when the lease ends. Default: 30 s.
     *
     * @param lease the length of the lease, 100 ms to 365 days; fractions of a millisecond are dropped
     * @return options with that lease
     * @throws IllegalArgumentException if the lease is out of that range
     */
    public static LockOptions renewedLease(Duration lease) {
        return DEFAULTS.withRenewedLease(lease);
    }

    /**
     * Returns these options with a lease that the client renews, in place of their own lease. See
     * {@link #renewedLease}.
     *
     * @param lease the length of the lease, 100 ms to 365 days; fractions of a millisecond are dropped
     * @return options with that lease
     * @throws IllegalArgumentException if the lease is out of that range
     */
    public LockOptions withRenewedLease(Duration lease) {
        return with(Durations.between("lease", lease, SHORTEST_RENEWED, LONGEST), true);
    }

    /**
     * Returns options with a lease that is never renewed, and with the {@link #defaults()} for everything else. If the
     * lock has not been released when the lease ends, it is lost. Default: leases are renewed.
     *
     * <p>After a third of the lease, and at least every ten seconds, the client verifies that the backend still knows
     * it, so that the holder learns if the lock was taken away. A lost fixed lease is remembered for one minute, or for
     * its own length if that is longer, because its {@code unlock} is still to come: see
     * {@link FencedLock#tryLock(Duration, Duration)}.
     *
     * @param lease the length of the lease, 10 ms to 365 days; fractions of a millisecond are dropped
     * @return options with that lease
     * @throws IllegalArgumentException if the lease is out of that range
     */
    public static LockOptions fixedLease(Duration lease) {
        return DEFAULTS.withFixedLease(lease);
    }

    /**
     * Returns these options with a lease that the client does not renew, in place of their own lease. See
     * {@link #fixedLease}. Such a lease is not {@linkplain #withRetention retained}, even if the options say so.
     *
     * @param lease the length of the lease, 10 ms to 365 days; fractions of a millisecond are dropped
     * @return options with that lease
     * @throws IllegalArgumentException if the lease is out of that range, or shorter than {@code minHold}
     */
    public LockOptions withFixedLease(Duration lease) {
        return with(Durations.between("lease", lease, SHORTEST, LONGEST), false);
    }

    private LockOptions with(Duration lease, boolean renewed) {
        return with(s -> {
            s.lease = lease;
            s.renewed = renewed;
            s.retention = renewed ? s.retention : null;
        });
    }

    /**
     * Sets the longest time for which the lock is held, for holders that may hang. When that time is over, the hold is
     * lost with {@link LeaseLoss.Reason#MAX_HOLD}, and the lock is given to the next waiter even if renewals succeed.
     * The time counts from the moment at which the lock was acquired. Default: no limit.
     *
     * @param maxHold 10 ms to 365 days; fractions of a millisecond are dropped
     * @return options with that setting
     * @throws IllegalArgumentException if it is out of that range, or shorter than {@code minHold}
     */
    public LockOptions withMaxHold(Duration maxHold) {
        return with(s -> s.maxHold = Durations.between("maxHold", maxHold, SHORTEST, LONGEST));
    }

    /**
     * Sets the shortest time for which the lock stays taken, for scheduled jobs and for cool-downs. An earlier release
     * returns at once, but no owner gets the lock before the time is over. The time counts from the moment at which the
     * lock was acquired. It also applies if the holder dies, but it does not make a fixed lease longer. For a job that
     * must run once per period although clocks differ, choose a time longer than the difference of the clocks and
     * shorter than the period. Such a lock is never handed over in memory. Default: none.
     *
     * @param minHold 0 to 365 days; fractions of a millisecond are dropped
     * @return options with that setting
     * @throws IllegalArgumentException if it is out of that range, longer than {@code maxHold}, or longer than a fixed
     *     lease
     */
    public LockOptions withMinHold(Duration minHold) {
        return with(s -> s.minHold = Durations.between("minHold", minHold, Duration.ZERO, LONGEST));
    }

    /**
     * Sets the order in which waiters get the lock. Both orders may be used for one lock at the same time; the lock is
     * never handed over in memory past a FIFO request of the same client. Default: {@link Fairness#BATCHED}.
     *
     * @param fairness the order
     * @return options with that setting
     */
    public LockOptions withFairness(Fairness fairness) {
        return with(s -> s.fairness = Objects.requireNonNull(fairness, "fairness"));
    }

    /**
     * Sets how much longer the lock stays closed after a lease that ended without a release. The delay leaves time for
     * work that a dead or paused holder started and that other systems are still carrying out, such as writes in
     * progress. It does not delay a release. Default: none.
     *
     * @param takeoverDelay 0 to 365 days; fractions of a millisecond are dropped
     * @return options with that setting
     * @throws IllegalArgumentException if it is out of that range
     */
    public LockOptions withTakeoverDelay(Duration takeoverDelay) {
        return with(s -> s.takeoverDelay = Durations.between("takeoverDelay", takeoverDelay, Duration.ZERO, LONGEST));
    }

    /**
     * Sets what happens to the holder if the lease is lost. Default: {@link OnLoss#NOTIFY}.
     *
     * @param onLoss the effect of a loss
     * @return options with that setting
     */
    public LockOptions withOnLoss(OnLoss onLoss) {
        return with(s -> s.onLoss = Objects.requireNonNull(onLoss, "onLoss"));
    }

    /**
     * Sets the moment at which a release returns. Default: {@link Release#AWAITED}.
     *
     * @param release the moment
     * @return options with that setting
     */
    public LockOptions withRelease(Release release) {
        return with(s -> s.release = Objects.requireNonNull(release, "release"));
    }

    /**
     * Sets which copies of the hold are required before the lock counts as acquired: on a number of replicas, or on the
     * server's disk. Use it if the master may be replaced or may restart. Default: none.
     *
     * @param replication the copies that are required, and how long to wait for them
     * @return options with that setting
     */
    public LockOptions withReplication(Replication replication) {
        return with(s -> s.replication = Objects.requireNonNull(replication, "replication"));
    }

    /**
     * Lets the client keep the lease of a released lock until another client wants the lock, or it was unused for a
     * time. Meanwhile the client takes and releases it in memory. For a lock that one client takes again and again.
     *
     * <ul>
     *   <li>Another client recalls it by a message; its {@link FencedLock#tryLock() tryLock()} waits for that for up to
     *       {@link ClientOptions#withRecallWait}. Then it is not retained for {@code idle}, or up to 10 s if that
     *       happens often.
     *   <li>Other clients see a retained lock as taken. If its client dies, it stays taken until its lease ends.
     *   <li>A client retains about 10,000 locks at most. Of more, it gives back those that were not used lately.
     * </ul>
     *
     * <p>Needs a renewed lease of 1 s to 10 s, and Redis without a quorum, or memory. Not available with bounds,
     * takeover delay, replication or FIFO, nor for read-write locks, semaphores, and locks shared with Redisson.
     * Default: none.
     *
     * @param idle the time for which an unused lock is retained, 10 ms to 365 days, to the millisecond
     * @return options with that setting
     * @throws IllegalArgumentException if it is out of that range, or the other options do not allow it
     */
    public LockOptions withRetention(Duration idle) {
        return with(s -> s.retention = Durations.between("idle", idle, SHORTEST, LONGEST));
    }

    /**
     * Returns the length of the lease.
     *
     * @return the lease
     */
    public Duration lease() {
        return values.lease;
    }

    /**
     * Returns whether the lease is renewed while the lock is held.
     *
     * @return {@code false} for a fixed lease
     */
    public boolean isRenewed() {
        return values.renewed;
    }

    /**
     * Returns the order in which waiters get the lock.
     *
     * @return the setting
     */
    public Fairness fairness() {
        return values.fairness;
    }

    /**
     * Returns the longest time for which the lock is held.
     *
     * @return the setting; empty if there is no limit
     */
    public Optional<Duration> maxHold() {
        return Optional.ofNullable(values.maxHold);
    }

    /**
     * Returns the shortest time for which the lock stays taken.
     *
     * @return the setting; zero if there is none
     */
    public Duration minHold() {
        return values.minHold;
    }

    /**
     * Returns how much longer the lock stays closed after a lease that ended without a release.
     *
     * @return the setting; zero if there is none
     */
    public Duration takeoverDelay() {
        return values.takeoverDelay;
    }

    /**
     * Returns what happens to the holder if its lease is lost.
     *
     * @return the setting
     */
    public OnLoss onLoss() {
        return values.onLoss;
    }

    /**
     * Returns the moment at which a release returns.
     *
     * @return the setting
     */
    public Release release() {
        return values.release;
    }

    /**
     * Returns the copies that are required before the lock counts as acquired.
     *
     * @return the setting; empty if there is none
     */
    public Optional<Replication> replication() {
        return Optional.ofNullable(values.replication);
    }

    /**
     * Returns the time for which an unused lock is retained.
     *
     * @return the setting; empty if locks are not retained
     */
    public Optional<Duration> retention() {
        return Optional.ofNullable(values.retention);
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof LockOptions that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
        return values.all().hashCode();
    }

    @Override
    public String toString() {
        Values s = values;
        return (s.renewed ? "renewed lease of " : "fixed lease of ") + Durations.text(s.lease)
                + (s.fairness == Fairness.FIFO ? ", FIFO" : "")
                + (s.maxHold == null ? "" : ", held at most " + Durations.text(s.maxHold))
                + (s.minHold.isZero() ? "" : ", taken at least " + Durations.text(s.minHold))
                + (s.takeoverDelay.isZero() ? "" : ", takeover after " + Durations.text(s.takeoverDelay))
                + (s.replication == null ? "" : ", on " + s.replication)
                + (s.retention == null ? "" : ", retained for " + Durations.text(s.retention))
                + (s.release == Release.AWAITED ? "" : ", release not awaited")
                + ", on loss " + s.onLoss;
    }
}
