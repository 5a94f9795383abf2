// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.spi.Durations;
import java.time.Duration;

/**
 * The options of a {@link QuorumBackend}. Immutable.
 *
 * <!-- snippet: ClassExamples.java#QuorumOptions -->
 * <pre>{@code
 * QuorumOptions options = QuorumOptions.defaults().longestLease(Duration.ofSeconds(40));
 * }</pre>
 *
 * @since 0.1.0
 */
public final class QuorumOptions {
    /** A shorter quarantine would not be longer than a start of a server. */
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

    /** With a longer one, a server that has started would not vote for more than a day. */
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);

    private static final QuorumOptions DEFAULTS =
            new QuorumOptions(Duration.ofSeconds(60), false, Duration.ofSeconds(10));

    private final Duration longestLease;
    private final boolean trustUptime;
    private final Duration connectTimeout;

    private QuorumOptions(Duration longestLease, boolean trustUptime, Duration connectTimeout) {
        this.longestLease = longestLease;
        this.trustUptime = trustUptime;
        this.connectTimeout = connectTimeout;
    }

    /**
     * Returns the default options: no lease is longer than 60 s, the uptime that servers report is not trusted, and the
     * connect timeout is 10 s.
     *
     * @return the default options
     */
    public static QuorumOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets the longest lease of any client, with its takeover delay. A server that has started may have lost its votes.
     * So it does not vote until every lease that it may have voted for has ended: for this time and 2 % of it. All
     * clients must have the same setting, or those with a longer one are not protected from restarts.
     *
     * @param longest the longest lease, 1 s to 1 day; default: 60 s
     * @return options with that longest lease
     * @throws IllegalArgumentException if it is out of its range
     */
    public QuorumOptions longestLease(Duration longest) {
        Durations.between("longest", longest, SHORTEST_LEASE, LONGEST_LEASE);
        return new QuorumOptions(longest, trustUptime, connectTimeout);
    }

    /**
     * Sets whether a server votes as soon as it reports that it has been up for long enough. Servers calculate their
     * uptime with the wall clock, so a step of that clock could let a server vote too early. Use this only where clocks
     * never step. Otherwise clients measure the time with their own monotonic clocks: the first client of a new quorum
     * waits for the longest lease.
     *
     * @param trust whether the reported uptime is trusted; default: {@code false}
     * @return options with that setting
     */
    public QuorumOptions withTrustUptime(boolean trust) {
        return new QuorumOptions(longestLease, trust, connectTimeout);
    }

    /**
     * Sets how long the creation of a client waits for a majority of the servers. {@code RedisBackend.connectQuorum}
     * takes the connect timeout of its {@code RedisOptions} instead.
     *
     * @param timeout 1 ms to 10 min; default: 10 s
     * @return options with that connect timeout
     * @throws IllegalArgumentException if it is out of its range
     */
    public QuorumOptions withConnectTimeout(Duration timeout) {
        return new QuorumOptions(
                longestLease,
                trustUptime,
                Durations.between("timeout", timeout, Duration.ofMillis(1), Duration.ofMinutes(10)));
    }

    /**
     * Returns the longest lease, with its takeover delay.
     *
     * @return the longest lease
     */
    public Duration longestLease() {
        return longestLease;
    }

    /**
     * Returns how long the creation of a client waits for a majority of the servers.
     *
     * @return the connect timeout
     */
    public Duration connectTimeout() {
        return connectTimeout;
    }

    /**
     * Returns whether the uptime that servers report is trusted.
     *
     * @return whether it is trusted
     */
    public boolean trustUptime() {
        return trustUptime;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof QuorumOptions that
                && longestLease.equals(that.longestLease)
                && trustUptime == that.trustUptime
                && connectTimeout.equals(that.connectTimeout);
    }

    @Override
    public int hashCode() {
        return longestLease.hashCode() * 31 + Boolean.hashCode(trustUptime);
    }

    @Override
    public String toString() {
        return "QuorumOptions[longestLease=" + Durations.text(longestLease) + (trustUptime ? ", trustUptime" : "")
                + "]";
    }
}
