// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * The leases of some locks as a server sees them.
 *
 * @param count the number of leases held
 * @param least the rest of the lease that ends first, by the server's clock
 */
record ClusterLeases(long count, Duration least) {
    /** The tolerance beside the third of a lease after which it is due, and the ninth in which that is noticed. */
    private static final Duration LATE = Duration.ofMillis(500);

    private static final String LOOK = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            local count, least = 0, 1e15
            for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
              local lock = redis.call('HMGET', key, 'owner', 'until')
              if lock[1] and lock[1] ~= '' then
                count = count + 1
                least = math.min(least, tonumber(lock[2]) - now)
              end
            end
            return {count, least}
            """;

    /** Inspects the locks whose names match. */
    static ClusterLeases at(RedisServer master, String names) {
        List<?> seen = (List<?>) Objects.requireNonNull(master.command("EVAL", LOOK, "0", "boltwork:{" + names + "}"));
        return new ClusterLeases((long) seen.get(0), Duration.ofMillis((long) seen.get(1)));
    }

    /** Checks that this many leases are held, and that none is older than timely renewals allow. */
    void areRenewedOnTime(long howMany, Duration lease) {
        assertThat(count).isEqualTo(howMany);
        Duration fresh = lease.multipliedBy(9 - 3 - 1).dividedBy(9).minus(Slack.of(LATE));
        assertThat(least).isGreaterThan(fresh);
    }
}
