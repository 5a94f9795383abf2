package io.boltwork;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is held: for how long, in which order waiters get it, and what happens when a lease is lost. Immutable; two
 * instances with the same settings are equal.
 *
 * <!-- snippet: ClassExamples.java#LockOptions -->
 * <pre>{@code
 * LockOptions nightly = LockOptions.renewedLease(Duration.ofSeconds(30))
 *         .withMinHold(Duration.ofMinutes(5))    // no second run, though the job takes a second
 *         .withMaxHold(Duration.ofHours(2));     // and no run that holds for ever
 * }</pre>
 *
 * <p>The options of the outermost acquisition hold for all nested ones. Clients may use one lock with different options at the
 * same time; each hold follows its own.
 */
public final class LockOptions {

    /** The shortest lease that is renewed: below it, renewals would come too late on an ordinary network. */
    private static final Duration SHORTEST_RENEWED = Duration.ofMillis(100);

    /** The shortest lease at all: 2 ms and 1 % of it are allowed for clocks that differ. */
    private static final Duration SHORTEST = Duration.ofMillis(10);

    private static final Duration LONGEST = Duration.ofDays(365);

    /**
     * By how much a lease is longer than the shortest hold: that begins when the answer arrives, later than the lease, and
     * an answer that was under way for longer than this is asked for once more. Few are.
     */
    private static final long SLOW_ANSWER = 1_000_000_000;

    private static final LockOptions DEFAULTS = new Draft().options();

    private final Settings settings;

    private record Settings(
            Duration lease,
            boolean renewed,
            Fairness fairness,
            @Nullable Duration maxHold,
            Duration minHold,
            Duration takeoverDelay,
            OnLoss onLoss,
            Release release,
            @Nullable Replication replication) {}

    /** Settings that are being changed. */
    private static final class Draft {
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

        Draft() {}

        Draft(Settings of) {
            lease = of.lease;
            renewed = of.renewed;
            fairness = of.fairness;
            maxHold = of.maxHold;
            minHold = of.minHold;
            takeoverDelay = of.takeoverDelay;
            onLoss = of.onLoss;
            release = of.release;
            replication = of.replication;
        }

        LockOptions options() {
            return new LockOptions(new Settings(
                    lease, renewed, fairness, maxHold, minHold, takeoverDelay, onLoss, release, replication));
        }
    }

    /** What the backend is asked for, in milliseconds: long enough for {@code minHold}, and no longer than {@code maxHold}. */
    final long leaseMillis;

    final long takeoverMillis;

    /** In nanoseconds; {@link Ticker#NEVER} for none. */
    final long maxHoldNanos;

    /** In nanoseconds; 0 for none. */
    final long minHoldNanos;

    private LockOptions(Settings settings) {
        this.settings = settings;
        this.takeoverMillis = settings.takeoverDelay.toMillis();
        this.maxHoldNanos = settings.maxHold == null ? Ticker.NEVER : settings.maxHold.toNanos();
        this.minHoldNanos = settings.minHold.toNanos();
        long lease = settings.lease.toMillis();
        if (settings.maxHold != null) {
            lease = Math.min(lease, Request.covering(maxHoldNanos));
        }
        if (settings.renewed && minHoldNanos > 0) {
            lease = Math.max(lease, Request.covering(minHoldNanos + SLOW_ANSWER));
        }
        this.leaseMillis = lease;
        Duration longest = settings.maxHold;
        if (longest != null && settings.minHold.compareTo(longest) > 0) {
            throw new IllegalArgumentException("minHold must not be longer than maxHold, but is "
                    + Durations.text(settings.minHold) + " and maxHold " + Durations.text(longest));
        }
        if (!settings.renewed && settings.minHold.compareTo(settings.lease) > 0) {
            throw new IllegalArgumentException("minHold must not be longer than a fixed lease, but is "
                    + Durations.text(settings.minHold) + " and the lease " + Durations.text(settings.lease));
        }
    }

    /** In which order those who wait get a lock. */
    public enum Fairness {
        /**
         * In their order within a client; clients take turns, and in its turn a client passes the lock from one of its threads
         * to the next in memory, for {@linkplain ClientOptions#withSlice a slice} of time, if both ask with equal options and a
         * renewed lease. Many times the throughput of FIFO on a contended lock.
         */
        BATCHED,
        /**
         * Strictly in the order in which their requests arrived at the backend, over threads, clients and JVMs. Each costs a
         * request of its own; nothing is passed on in memory.
         */
        FIFO
    }

    /** What happens to the holder when its lease is lost, beside the completion of {@link Lease#whenLost()}. */
    public enum OnLoss {
        /** Nothing else: the holder asks ({@link Lease#isValid()}) or listens. */
        NOTIFY,
        /** The thread that holds the lock is interrupted, once, and only while it still holds. Not for asynchronous leases. */
        INTERRUPT
    }

    /** When a release returns, or the stage of one completes. */
    public enum Release {
        /** When the backend has answered: the lock is free, or its loss is known and thrown. */
        AWAITED,
        /**
         * When it is on its way. A lock that nobody else wants costs one round trip instead of two. What is given up: for a moment
         * others still find the lock taken; a loss that only the backend knows is not thrown but told to {@link Lease#whenLost()}
         * and listeners; so is, to {@link LockListener#releaseFailed listeners}, that there was no answer; and a JVM that ends
         * without {@link LockClient#close()} right after it may leave the lock to the end of its lease. What is kept: whatever
         * this client sends for the lock afterwards comes after it, it is repeated until it is answered, and nobody else's hold is
         * harmed.
         */
        SENT
    }

    /**
     * A lease of 30 s, renewed every 10 s while it is held; {@link Fairness#BATCHED}, no bounds on the hold, no takeover
     * delay, {@link OnLoss#NOTIFY}, {@link Release#AWAITED}, no replicas.
     *
     * @return the defaults
     */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /**
     * A lease that is renewed at a third of its length for as long as it is held (the <em>watchdog</em>), everything else as in
     * {@link #defaults()}. If the JVM dies or is cut off, the lock becomes free when the lease ends. Default: 30 s.
     *
     * @param lease its length, 100 ms to 365 days; milliseconds count
     * @return options with that lease
     * @throws IllegalArgumentException if the lease is too short to be renewed, or absurdly long
     */
    public static LockOptions renewedLease(Duration lease) {
        return DEFAULTS.with(Durations.between("lease", lease, SHORTEST_RENEWED, LONGEST), true);
    }

    /**
     * A lease that is never renewed, everything else as in {@link #defaults()}: if the lock has not been released by then, it
     * is lost. Default: leases are renewed.
     *
     * <p>After a third of it, and every ten seconds at least, the client verifies that the backend has it, so that its holder is
     * told if the lock was taken away. A lost fixed lease is remembered for a minute, or for as long as it was, for the {@code
     * unlock} that is still to come: see {@link FencedLock#tryLock(Duration, Duration)}.
     *
     * @param lease its length, 10 ms to 365 days; milliseconds count
     * @return options with that lease
     * @throws IllegalArgumentException if the lease is too short or absurdly long
     */
    public static LockOptions fixedLease(Duration lease) {
        return DEFAULTS.withFixedLease(lease);
    }

    /** These options with a fixed lease instead of theirs. */
    LockOptions withFixedLease(Duration lease) {
        return with(Durations.between("lease", lease, SHORTEST, LONGEST), false);
    }

    private LockOptions with(Duration lease, boolean renewed) {
        Draft draft = new Draft(settings);
        draft.lease = lease;
        draft.renewed = renewed;
        return draft.options();
    }

    /**
     * Sets the longest time the lock is held: then the hold is lost, with {@link LeaseLoss.Reason#MAX_HOLD}, and the lock is
     * given to the next, however well renewals work. Counts from the moment the lock was acquired. For holders that may hang.
     * Default: none.
     *
     * @param maxHold 10 ms to 365 days; milliseconds count
     * @return options with that setting
     * @throws IllegalArgumentException if it is out of that range, or shorter than {@code minHold}
     */
    public LockOptions withMaxHold(Duration maxHold) {
        Draft draft = new Draft(settings);
        draft.maxHold = Durations.between("maxHold", maxHold, SHORTEST, LONGEST);
        return draft.options();
    }

    /**
     * Sets the shortest time the lock stays taken, for jobs and as a cool-down: an earlier release returns at once, but nobody else gets the lock until
     * then. Counts from the moment the lock was acquired; holds also if the holder dies, though a fixed lease is not made
     * longer for it. For jobs that shall run once per period although clocks differ: longer than clocks may differ, shorter
     * than the period. Default: none. Such a lock is never passed on in memory.
     *
     * @param minHold 0 to 365 days; milliseconds count
     * @return options with that setting
     * @throws IllegalArgumentException if it is out of that range, longer than {@code maxHold}, or longer than a fixed lease
     */
    public LockOptions withMinHold(Duration minHold) {
        Draft draft = new Draft(settings);
        draft.minHold = Durations.between("minHold", minHold, Duration.ZERO, LONGEST);
        return draft.options();
    }

    /**
     * Sets in which order those who wait get the lock. Default: {@link Fairness#BATCHED}. Both may be used on one lock at the
     * same time; the lock is never passed on in memory past a FIFO request of the same client.
     *
     * @param fairness the order
     * @return options with that setting
     */
    public LockOptions withFairness(Fairness fairness) {
        Draft draft = new Draft(settings);
        draft.fairness = Objects.requireNonNull(fairness, "fairness");
        return draft.options();
    }

    /**
     * Sets how much longer the lock stays closed after a lease that ended without a release: quiet time for work that a
     * dead or stopped holder has begun and others still carry out, such as writes under way. A release is not delayed.
     * Default: none.
     *
     * @param takeoverDelay 0 to 365 days; milliseconds count
     * @return options with that setting
     * @throws IllegalArgumentException if it is out of that range
     */
    public LockOptions withTakeoverDelay(Duration takeoverDelay) {
        Draft draft = new Draft(settings);
        draft.takeoverDelay = Durations.between("takeoverDelay", takeoverDelay, Duration.ZERO, LONGEST);
        return draft.options();
    }

    /**
     * Sets what happens to the holder when the lease is lost. Default: {@link OnLoss#NOTIFY}.
     *
     * @param onLoss what happens
     * @return options with that setting
     */
    public LockOptions withOnLoss(OnLoss onLoss) {
        Draft draft = new Draft(settings);
        draft.onLoss = Objects.requireNonNull(onLoss, "onLoss");
        return draft.options();
    }

    /**
     * Sets when a release returns. Default: {@link Release#AWAITED}.
     *
     * @param release when
     * @return options with that setting
     */
    public LockOptions withRelease(Release release) {
        Draft draft = new Draft(settings);
        draft.release = Objects.requireNonNull(release, "release");
        return draft.options();
    }

    /**
     * Sets how many replicas must have the lock before it counts as acquired. For deployments whose master may be replaced.
     * Default: none.
     *
     * @param replication how many, and how long to wait for them
     * @return options with that setting
     */
    public LockOptions withReplication(Replication replication) {
        Draft draft = new Draft(settings);
        draft.replication = Objects.requireNonNull(replication, "replication");
        return draft.options();
    }

    /**
     * The length of a lease.
     *
     * @return the lease
     */
    public Duration lease() {
        return settings.lease;
    }

    /**
     * Whether the lease is renewed while it is held.
     *
     * @return {@code false} for a fixed lease
     */
    public boolean isRenewed() {
        return settings.renewed;
    }

    /**
     * In which order those who wait get the lock.
     *
     * @return the setting
     */
    public Fairness fairness() {
        return settings.fairness;
    }

    /**
     * The longest time the lock is held.
     *
     * @return the setting, empty for none
     */
    public Optional<Duration> maxHold() {
        return Optional.ofNullable(settings.maxHold);
    }

    /**
     * The shortest time the lock stays taken.
     *
     * @return the setting, zero for none
     */
    public Duration minHold() {
        return settings.minHold;
    }

    /**
     * How much longer the lock stays closed after a lease that ended without a release.
     *
     * @return the setting, zero for none
     */
    public Duration takeoverDelay() {
        return settings.takeoverDelay;
    }

    /**
     * What happens to the holder when its lease is lost.
     *
     * @return the setting
     */
    public OnLoss onLoss() {
        return settings.onLoss;
    }

    /**
     * When a release returns.
     *
     * @return the setting
     */
    public Release release() {
        return settings.release;
    }

    /**
     * How many replicas must have the lock before it counts as acquired.
     *
     * @return the setting, empty for none
     */
    public Optional<Replication> replication() {
        return Optional.ofNullable(settings.replication);
    }

    boolean isFifo() {
        return settings.fairness == Fairness.FIFO;
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof LockOptions that && settings.equals(that.settings);
    }

    @Override
    public int hashCode() {
        return settings.hashCode();
    }

    @Override
    public String toString() {
        Settings s = settings;
        return (s.renewed ? "renewed lease of " : "fixed lease of ") + Durations.text(s.lease)
                + (isFifo() ? ", FIFO" : "")
                + (s.maxHold == null ? "" : ", held at most " + Durations.text(s.maxHold))
                + (s.minHold.isZero() ? "" : ", taken at least " + Durations.text(s.minHold))
                + (s.takeoverDelay.isZero() ? "" : ", takeover after " + Durations.text(s.takeoverDelay))
                + (s.replication == null ? "" : ", on " + s.replication)
                + (s.release == Release.AWAITED ? "" : ", release not awaited")
                + ", on loss " + s.onLoss;
    }
}
