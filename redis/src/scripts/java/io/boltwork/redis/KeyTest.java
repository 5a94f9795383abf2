// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyTest extends ScriptTest {
    private static final long LIFE = IdleLife.DEFAULT.toMillis();
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final long WEEK = IdleLife.LONGEST.toMillis();

    private long timeToLive() {
        return (Long) redis.command("PTTL", KEY);
    }

    private Client withLife(String id, Duration idleLife) {
        return Client.open(
                id, RedisBackend.connect(redis.uri(), RedisOptions.defaults().withIdleLife(idleLife)));
    }

    @Test
    void aKeyLivesForTenMinutesAfterItsLease() {
        a.acquire(LOCK, "a:1");
        assertThat(timeToLive()).isBetween(LIFE, LIFE + Client.LEASE);
        assertThat(field("x")).isEqualTo(field("until") + LIFE);
    }

    @Test
    void theExpiryIsRenewedAfterAnEighthOfTheIdleLife() {
        long token = a.acquire(LOCK, "a:1").token();
        long margin = 20_000; // longer than the test takes
        long expires = field("until") + LIFE / 8 * 7 + margin;
        set("x", expires);
        a.release(LOCK, "a:1", token);
        token = a.acquire(LOCK, "a:2").token();
        a.renew(LOCK, "a:2", token, Client.LEASE);
        b.acquire(LOCK, "b:1");
        a.release(LOCK, "a:2", token);
        b.renew(LOCK, "b:1", b.nextGrant().token(), Client.LEASE);
        assertThat(field("x")).isEqualTo(expires);

        set("x", expires - margin);
        b.renew(LOCK, "b:1", field("token"), Client.LEASE + 1);
        assertThat(field("x")).isEqualTo(field("until") + LIFE);
        set("x", expires - margin);
        b.release(LOCK, "b:1", field("token"));
        a.acquire(LOCK, "a:3");
        assertThat(field("x")).isEqualTo(field("until") + LIFE);
    }

    @Test
    void eachStepSetsAnExpiryThatIsDue() {
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
            redis.command("PEXPIRE", KEY, "" + LIFE / 2);
            set("x", 1);
            step.run();
            assertThat(timeToLive()).isGreaterThan(LIFE - 10_000);
            assertThat(field("x")).isGreaterThan(1);
        }
    }

    @Test
    void theLongestIdleLifeAmongALocksClientsApplies() {
        try (Client week = withLife("week", IdleLife.LONGEST);
                Client minute = withLife("minute", IdleLife.SHORTEST)) {
            long token = week.acquire(LOCK, "week:1").token();
            minute.acquire(LOCK, "minute:1");
            week.release(LOCK, "week:1", token);
            token = minute.nextGrant().token();
            minute.renew(LOCK, "minute:1", token, Client.LEASE);
            minute.release(LOCK, "minute:1", token);
            minute.restore(LOCK, "minute:2", minute.acquire(LOCK, "minute:2").token());
            minute.withdraw(LOCK, "minute:2", 0);
            assertThat(timeToLive()).isGreaterThan(WEEK);
            assertThat(field("x")).isGreaterThan(WEEK);
        }
    }

    @Test
    void aShortIdleLifeEndsNoLeaseOfAnotherClient() {
        long hour = Duration.ofHours(1).toMillis();
        try (Client minute = withLife("minute", IdleLife.SHORTEST)) {
            minute.release(LOCK, "minute:1", minute.acquire(LOCK, "minute:1").token());
            assertThat(timeToLive()).isLessThan(LIFE);
            long token = a.ask(new Command.Acquire(LOCK, "a:1", true, hour, 0, Client.NEVER), Acquired.class)
                    .token();
            minute.acquire(LOCK, "minute:2");
            minute.withdraw(LOCK, "minute:2", 0);
            minute.withdraw(LOCK, null, 0);
            minute.restore(LOCK, "minute:1", token + 1);
            minute.force(LOCK, 1);
            assertThat(timeToLive()).isGreaterThan(hour + LIFE / 8 * 7);
            a.release(LOCK, "a:1", token);
            minute.acquire(LOCK, "minute:3");
            assertThat(timeToLive()).as("never earlier").isGreaterThan(hour + LIFE / 8 * 7);
        }
    }

    @Test
    void aWaiterThatOnlyAsksKeepsItsKey() {
        a.acquire(LOCK, "a:1");
        endLease();
        b.acquire(LOCK, "b:1");
        redis.command("PEXPIRE", KEY, "1000");
        set("x", field("x") - LIFE); // the holder is silent for this long
        b.acquire(LOCK, "b:1");
        assertThat(timeToLive()).isGreaterThan(LIFE / 8 * 7);
    }

    @Test
    void aForcedReleaseKeepsTheFenceForADayMoreThanTheLease() {
        long week = Duration.ofDays(7).toMillis();
        long token = a.ask(new Command.Acquire(LOCK, "a:1", true, week, 0, Client.NEVER), Acquired.class)
                .token();
        assertThat(b.force(LOCK, token).released()).isTrue();
        assertThat(timeToLive()).as("the rest of the lease, a lease and a day").isGreaterThan(2 * week + DAY / 2);
        assertThat(a.renew(LOCK, "a:1", token, week).items().get(0).outcome()).isEqualTo(Renewal.LOST);
        assertThat(a.restore(LOCK, "a:1", token).outcome()).isEqualTo(Renewal.LOST);
    }

    @Test
    void anIdleLifeIsNotShorterThanTwoCommandTimeouts() {
        try (Client slow = Client.open("slow", RedisBackend.connect(redis.uri() + "?timeout=20m"))) {
            slow.acquire(LOCK, "slow:1");
            assertThat(timeToLive()).isGreaterThan(Duration.ofMinutes(40).toMillis());
        }
    }

    @Test
    void aKeyOutlivesALongLease() {
        long lease = 100 * DAY;
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
    void anyStringCanNameALock(String name) {
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
