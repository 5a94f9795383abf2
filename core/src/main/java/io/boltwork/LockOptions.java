package io.boltwork;

import java.time.Duration;
import java.util.Objects;

/**
 * How a lock is held: for how long without renewal, and what happens when a lease is lost. Immutable; two instances with
 * the same settings are equal.
 *
 * <p>The options of the outermost acquisition hold for all nested ones.
 */
public final class LockOptions {

    /** The shortest lease that is renewed: below it, renewals would come too late on an ordinary network. */
    private static final Duration SHORTEST_RENEWED = Duration.ofMillis(100);

    /** The shortest lease at all: 2 ms and 1 % of it are allowed for clocks that differ. */
    private static final Duration SHORTEST = Duration.ofMillis(10);

    private static final Duration LONGEST = Duration.ofDays(365);

    private static final LockOptions DEFAULTS = new LockOptions(Duration.ofSeconds(30), true, OnLoss.NOTIFY);

    private final Duration lease;
    private final boolean renewed;
    private final OnLoss onLoss;

    private LockOptions(Duration lease, boolean renewed, OnLoss onLoss) {
        this.lease = lease;
        this.renewed = renewed;
        this.onLoss = onLoss;
    }

    /** What happens to the holder when its lease is lost, beside the completion of {@link Lease#whenLost()}. */
    public enum OnLoss {
        /** Nothing else: the holder asks ({@link Lease#isValid()}) or listens. */
        NOTIFY,
        /** The thread that holds the lock is interrupted, once, and only while it still holds. Not for asynchronous leases. */
        INTERRUPT
    }

    /**
     * A lease of 30 s, renewed every 10 s while it is held; {@link OnLoss#NOTIFY}.
     *
     * @return the defaults
     */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /**
     * A lease that is renewed at a third of its length for as long as it is held (the <em>watchdog</em>). If the JVM dies or
     * is cut off, the lock becomes free when the lease ends. Default: 30 s.
     *
     * @param lease its length, 100 ms to 365 days; milliseconds count
     * @return options with that lease
     * @throws IllegalArgumentException if the lease is too short to be renewed, or absurdly long
     */
    public static LockOptions renewedLease(Duration lease) {
        return new LockOptions(Durations.between("lease", lease, SHORTEST_RENEWED, LONGEST), true, OnLoss.NOTIFY);
    }

    /**
     * A lease that is never renewed: if the lock has not been released by then, it is lost. Default: leases are renewed.
     *
     * @param lease its length, 10 ms to 365 days; milliseconds count
     * @return options with that lease
     * @throws IllegalArgumentException if the lease is too short or absurdly long
     */
    public static LockOptions fixedLease(Duration lease) {
        return new LockOptions(Durations.between("lease", lease, SHORTEST, LONGEST), false, OnLoss.NOTIFY);
    }

    /**
     * Sets what happens to the holder when the lease is lost. Default: {@link OnLoss#NOTIFY}.
     *
     * @param onLoss what happens
     * @return options with that setting
     */
    public LockOptions withOnLoss(OnLoss onLoss) {
        return new LockOptions(lease, renewed, Objects.requireNonNull(onLoss, "onLoss"));
    }

    /**
     * The length of a lease.
     *
     * @return the lease
     */
    public Duration lease() {
        return lease;
    }

    /**
     * Whether the lease is renewed while it is held.
     *
     * @return {@code false} for a fixed lease
     */
    public boolean isRenewed() {
        return renewed;
    }

    /**
     * What happens to the holder when its lease is lost.
     *
     * @return the setting
     */
    public OnLoss onLoss() {
        return onLoss;
    }

    long leaseMillis() {
        return lease.toMillis();
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof LockOptions that
                        && lease.equals(that.lease)
                        && renewed == that.renewed
                        && onLoss == that.onLoss;
    }

    @Override
    public int hashCode() {
        return Objects.hash(lease, renewed, onLoss);
    }

    @Override
    public String toString() {
        return (renewed ? "renewed lease of " : "fixed lease of ") + Durations.text(lease) + ", on loss " + onLoss;
    }
}
