package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.RedisServer;
import io.boltwork.testkit.Slack;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * The leases of some locks as a server sees them.
 *
 * @param count how many are held
 * @param least what is left of the one that ends first, by the server's clock
 */
record ClusterLeases(long count, Duration least) {
    /** Beside the third of a lease after which it is due, and the ninth in which that is noticed. */
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

    /** Looks at the locks whose names are like that. */
    static ClusterLeases at(RedisServer master, String names) {
        List<?> seen = (List<?>) Objects.requireNonNull(master.command("EVAL", LOOK, "0", "boltwork:{" + names + "}"));
        return new ClusterLeases((long) seen.get(0), Duration.ofMillis((long) seen.get(1)));
    }

    /** So many are held, and none is older than renewals on time let it become. */
    void areRenewedOnTime(long howMany, Duration lease) {
        assertThat(count).isEqualTo(howMany);
        Duration fresh = lease.multipliedBy(9 - 3 - 1).dividedBy(9).minus(Slack.of(LATE));
        assertThat(least).isGreaterThan(fresh);
    }
}
