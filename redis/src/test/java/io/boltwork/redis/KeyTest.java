package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyTest extends ScriptTest {
    private static final long HOUR = 3_600_000;

    private long timeToLive() {
        return (Long) redis.command("PTTL", KEY);
    }

    @Test
    void aKeyLivesForADayAndAnHourAfterItWasMade() {
        a.acquire(LOCK, "a:1");
        assertThat(timeToLive()).isBetween(25 * HOUR - 10_000, 25 * HOUR + Client.LEASE);
    }

    @Test
    void theExpiryIsMovedOnceAnHour() {
        long token = a.acquire(LOCK, "a:1").token();
        redis.command("PEXPIRE", KEY, "" + 24 * HOUR);
        a.release(LOCK, "a:1", token);
        token = a.acquire(LOCK, "a:2").token();
        a.renew(LOCK, "a:2", token, Client.LEASE);
        b.acquire(LOCK, "b:1");
        assertThat(timeToLive()).isLessThanOrEqualTo(24 * HOUR);

        set("x", field("x") - HOUR);
        a.release(LOCK, "a:2", token);
        b.nextGrant();
        assertThat(timeToLive()).isGreaterThan(24 * HOUR);
    }

    @Test
    void anHourLaterEachStepMovesTheExpiry() {
        List<Runnable> steps = List.of(
                () -> a.acquire(LOCK, "a:1"),
                () -> a.acquire(LOCK, "a:1"),
                () -> b.acquire(LOCK, "b:1"),
                () -> a.renew(LOCK, "a:1", field("token"), Client.LEASE),
                () -> b.withdraw(LOCK, "b:1", 0),
                () -> a.release(LOCK, "a:1", field("token")),
                () -> a.acquire(LOCK, "a:2"),
                () -> a.withdraw(LOCK, "a:2", 0),
                () -> a.restore(LOCK, "a:3", field("fence") + 1),
                () -> a.force(LOCK, 1),
                () -> a.force(LOCK, 0));
        set("owner", "");
        for (Runnable step : steps) {
            redis.command("PEXPIRE", KEY, "" + 24 * HOUR);
            set("x", 1);
            step.run();
            assertThat(timeToLive()).isGreaterThan(24 * HOUR);
            assertThat(field("x")).isGreaterThan(1);
        }
    }

    @Test
    void aClockThatWentBackDoesNotKeepTheExpiry() {
        long token = a.acquire(LOCK, "a:1").token();
        for (boolean acquire : new boolean[] {false, true}) {
            redis.command("PEXPIRE", KEY, "" + 24 * HOUR);
            set("x", Client.NEVER);
            if (acquire) {
                a.acquire(LOCK, "a:2");
            } else {
                a.release(LOCK, "a:1", token);
            }
            assertThat(timeToLive()).isGreaterThan(24 * HOUR);
        }
    }

    @Test
    void aKeyOutlivesALongLease() {
        long lease = 100 * 24 * HOUR;
        long token = a.ask(new Command.Acquire(LOCK, "a:1", true, lease, 0, Client.NEVER), Acquired.class)
                .token();
        assertThat(timeToLive()).isGreaterThan(lease);
        a.renew(LOCK, "a:1", token, 2 * lease);
        assertThat(timeToLive()).isGreaterThan(2 * lease);
        set("x", 1);
        b.acquire(LOCK, "b:1");
        assertThat(timeToLive()).isGreaterThan(2 * lease);
        redis.command("DEL", KEY);
        a.ask(
                new Command.Restore(LOCK, "a:1", token, lease, lease, Client.NEVER),
                io.boltwork.spi.Reply.Restored.class);
        assertThat(timeToLive()).isGreaterThan(2 * lease);
    }

    static List<String> names() {
        return List.of(
                "plain",
                "a b",
                " ",
                "{a}",
                "}{",
                "%",
                "%7B",
                "%257B",
                "a:{b",
                "größe-数-🔒",
                "line\r\nbreak\0zero",
                "$5\r\n*1",
                "x".repeat(1_024),
                "{%}".repeat(341));
    }

    @ParameterizedTest
    @MethodSource("names")
    void anyNameIsOneLock(String name) {
        long token = a.acquire(name, "a:1").token();
        assertThat(b.acquire(name, "b:1").verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(a.renew(name, "a:1", token, Client.LEASE).items().get(0).outcome())
                .isEqualTo(Renewal.OK);
        a.release(name, "a:1", token);
        assertThat(b.nextGrant().lock()).isEqualTo(name);
        assertThat(b.inspect(name).owner()).isEqualTo("b:1");
        assertThat((List<?>) redis.command("KEYS", "*")).hasSize(1);
    }

    @Test
    void differentNamesAreDifferentLocks() {
        for (String name : names()) {
            assertThat(a.acquire(name, "a:1").known()).isFalse();
        }
        List<?> keys = (List<?>) redis.command("KEYS", "*");
        assertThat(keys).hasSize(names().size());
        assertThat(keys).allSatisfy(key -> {
            assertThat(key.toString()).startsWith("boltwork:{").endsWith("}");
            assertThat(key.toString().chars().filter(c -> c == '{')).hasSize(1);
            assertThat(key.toString().chars().filter(c -> c == '}')).hasSize(1);
        });
    }

    @Test
    void aPrefixSeparatesLocksAndChannels() {
        RedisOptions options = RedisOptions.defaults().keyPrefix("shop:locks");
        try (Client other = Client.open("a", RedisBackend.connect(redis.uri(), options))) {
            long token = other.acquire(LOCK, "a:1").token();
            assertThat(a.acquire(LOCK, "a:1").known()).isFalse();
            other.acquire(LOCK, "a:2");
            other.release(LOCK, "a:1", token);
            assertThat(other.nextGrant().lock()).isEqualTo(LOCK);
            assertThat(fields("shop:locks:{stock:1001}")).containsEntry("owner", "a:2");
        }
    }
}
