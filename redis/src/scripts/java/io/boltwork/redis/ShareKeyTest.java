// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Resize;
import io.boltwork.spi.Share;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the keys of shared locks: their names, their expiry, and keys of another type. */
class ShareKeyTest extends ShareScriptTest {
    private static final long LIFE = IdleLife.DEFAULT.toMillis();

    private long timeToLive() {
        return (Long) redis.command("PTTL", SHARED);
    }

    @Test
    void theExpiryIsRenewedAfterAnEighthOfTheIdleLife() {
        Acquired granted = take("a:1", 2);
        assertThat(timeToLive()).isBetween(LIFE + Client.LEASE - 10_000, LIFE + Client.LEASE);
        long margin = 20_000; // longer than the test takes
        long expires = entry("a:1", ENDS) + LIFE / 8 * 7 + margin;
        set("x", expires);
        renew("a:1", granted.token(), Client.LEASE, of(2));
        await("b:1", 2);
        withdraw("b:1");
        release("a:1", granted);
        assertThat(field("x")).isEqualTo(expires);
        set("x", expires - 2 * margin);
        granted = take("a:2", 1);
        assertThat(field("x")).isEqualTo(entry("a:2", ENDS) + LIFE);
    }

    @Test
    void eachStepSetsAnExpiryThatIsDue() {
        Acquired[] granted = new Acquired[1];
        List<Runnable> steps = List.of(
                () -> granted[0] = take("a:1", 3),
                () -> take("a:1", 3),
                () -> await("b:1", 1),
                () -> renew("a:1", granted[0].token(), Client.LEASE, of(3)),
                () -> withdraw("b:1"),
                () -> release("a:1", granted[0]),
                () -> nudge(),
                () -> restore("a:1", granted[0]),
                () -> withdraw("a:1"),
                () -> force(1),
                () -> force(0),
                () -> resize(3));
        set("fence", 1);
        for (long life : new long[] {LIFE, IdleLife.SET_MILLIS}) { // the last step sets the permits
            for (Runnable step : steps) {
                for (long early : new long[] {System.currentTimeMillis() + life / 2, 1}) {
                    redis.command("PEXPIRE", SHARED, "" + life / 2);
                    set("x", early);
                    step.run();
                    assertThat(timeToLive()).isGreaterThan(life - 10_000);
                    assertThat(field("x")).isGreaterThan(early);
                }
            }
        }
    }

    @Test
    void theKeyOutlivesTheLongestHold() {
        long day = Duration.ofDays(1).toMillis();
        a.ask(new Command.Acquire(LOCK, "a:1", true, day, day, Client.NEVER, of(1)), Acquired.class);
        take("b:1", 1);
        withdraw("b:1");
        assertThat(timeToLive()).as("never to an earlier time").isGreaterThan(2 * day + LIFE - 10_000);
        assertThat(field("x")).isEqualTo(entry("a:1", ENDS) + LIFE);
    }

    @Test
    void theLongestIdleLifeAmongTheClientsApplies() {
        RedisOptions options = RedisOptions.defaults();
        try (Client week =
                        Client.open("week", RedisBackend.connect(redis.uri(), options.withIdleLife(IdleLife.LONGEST)));
                Client minute = Client.open(
                        "minute", RedisBackend.connect(redis.uri(), options.withIdleLife(IdleLife.SHORTEST)))) {
            week.ask(new Command.Acquire(LOCK, "week:1", true, Client.LEASE, 0, Client.NEVER, of(1)), Acquired.class);
            minute.ask(
                    new Command.Acquire(LOCK, "minute:1", true, Client.LEASE, 0, Client.NEVER, of(1)), Acquired.class);
            minute.ask(new ForceRelease(LOCK, 1, KIND), Reply.Forced.class);
            assertThat(timeToLive()).isGreaterThan(IdleLife.LONGEST.toMillis());
        }
    }

    static List<String> names() {
        return KeyTest.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void anyStringCanNameASharedLock(String name) {
        for (Share all : List.of(of(PERMITS), Share.WRITE)) {
            HeldShare held = new HeldShare(all, 0, 0);
            Acquired granted =
                    a.ask(new Command.Acquire(name, "a:1", true, Client.LEASE, 0, Client.NEVER, all), Acquired.class);
            assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
            a.ask(new Command.Acquire(name, "b:1", true, Client.LEASE, 0, Client.NEVER, all), Acquired.class);
            Command.Renew.Item item = new Command.Renew.Item(name, "a:1", granted.token(), Client.LEASE, 0, all);
            a.ask(new Command.Renew(List.of(item), Client.NEVER), Reply.Renewed.class);
            a.ask(new Command.Withdraw(name, "a:1", 0, held), Reply.Withdrawn.class);
            assertThat(b.nextGrant().lock()).isEqualTo(name);
            assertThat(b.ask(new Query.Inspect(name, all.kind()), QueryReply.Inspected.class)
                            .holders())
                    .extracting(QueryReply.Inspected.Holder::request)
                    .containsExactly("b:1");
        }
        assertThat((List<?>) redis.command("KEYS", "*")).hasSize(2);
    }

    @Test
    void aPrefixSeparatesLocksAndChannels() throws Exception {
        RedisOptions options = RedisOptions.defaults().keyPrefix("shop:locks");
        try (Client other = Client.open("a", RedisBackend.connect(redis.uri(), options))) {
            Command.Acquire wish = new Command.Acquire(LOCK, "a:1", true, Client.LEASE, 0, Client.NEVER, of(3));
            Command.Acquire next = new Command.Acquire(LOCK, "a:2", true, Client.LEASE, 0, Client.NEVER, of(3));
            other.ask(wish, Acquired.class);
            assertThat(take("a:1", 3).known()).isFalse();
            other.ask(next, Acquired.class);
            other.ask(new Command.Withdraw(LOCK, "a:1", 0, new HeldShare(of(3), 0, 0)), Reply.Withdrawn.class);
            assertThat(other.nextGrant().lock()).isEqualTo(LOCK);
            other.ask(new ForceRelease(LOCK, 0, KIND), Reply.Forced.class);
            assertThat(Client.next(other.takings).request()).isEqualTo("a:2");
            assertThat(fields("shop:locks:semaphore:{stock:1001}")).containsEntry("n", "1");
        }
    }

    @Test
    void aKeyOfAnotherTypeFailsAtOnceAndIsNamed() {
        HeldShare held = new HeldShare(of(1), 9, 0);
        Command.Acquire wish = new Command.Acquire("cart", "a:1", true, Client.LEASE, 0, Client.NEVER, of(1));
        redis.command("SET", "boltwork:semaphore:{cart}", "not a lock");
        for (Command<?> command : List.of(
                wish,
                new Command.Release("cart", "a:1", 5, 5, 0, wish, held),
                new Command.Restore("cart", "a:1", 5, Client.LEASE, 0, Client.NEVER, held),
                new Command.Withdraw("cart", "a:1", 0, held),
                new ForceRelease("cart", 0, LockKind.SEMAPHORE),
                new Resize("cart", LockKind.SEMAPHORE, 5),
                new Query.Inspect("cart", LockKind.SEMAPHORE))) {
            Failed failed = a.ask(command, Failed.class);
            assertThat(failed.cause()).hasMessageContaining("the semaphore 'cart' (key 'boltwork:semaphore:{cart}')");
            assertThat(failed.cause().isRetryable()).isFalse();
        }
        assertThat(redis.command("GET", "boltwork:semaphore:{cart}")).isEqualTo("not a lock");
    }
}
