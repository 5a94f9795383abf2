// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.lettuce.core.RedisClient;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests single commands about a lock that is shared with Redisson, whose part is played by the commands that its
 * scripts execute. The clients {@code a} and {@code b} of the base have no bridge.
 */
class BridgeScriptTest extends ScriptTest {
    private static final String COUNTER = "redisson_lock_token:{stock:1001}";
    private static final String FAIR_QUEUE = "redisson_lock_queue:{stock:1001}";
    private static final String CHANNEL = KeySpace.redissonChannel(LOCK);
    private static final String THREAD = "8743c9c0-0795-4907-87fd-6c719a6b4586:1";
    private static final long DAY = 24 * 3_600_000L;
    private static final Offset<Long> A_WHILE = Offset.offset(5_000L);
    private static final String BARRIER = "barrier";

    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private Client c;
    private Client d;
    private RedisClient ears;
    private StatefulRedisPubSubConnection<String, String> listening;

    @BeforeEach
    void openBridge() {
        RedisOptions options = RedisOptions.defaults().withBridge(Bridge.redisson());
        c = Client.open("c", RedisBackend.connect(redis.uri(), options));
        d = Client.open("d", RedisBackend.connect(redis.uri(), options));
        ears = RedisClient.create(redis.uri());
        listening = ears.connectPubSub();
        listening.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String body) {
                messages.add(body);
            }
        });
        listening.sync().subscribe(BARRIER);
    }

    @AfterEach
    void closeBridge() {
        c.close();
        d.close();
        ears.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    private void listen() {
        listening.sync().subscribe(CHANNEL);
    }

    /** Returns how many messages came on Redisson's channel since the last call. */
    private int messages() {
        redis.command("PUBLISH", BARRIER, BARRIER);
        int count = 0;
        while (!Client.next(messages).equals(BARRIER)) {
            count++;
        }
        return count;
    }

    private void take(long lease) {
        redis.command("HINCRBY", LOCK, THREAD, "1");
        redis.command("PEXPIRE", LOCK, "" + lease);
    }

    private void giveBack() {
        redis.command("DEL", LOCK);
        redis.command("PUBLISH", CHANNEL, "0");
    }

    private long left(String key) {
        return (Long) redis.command("PTTL", key);
    }

    /** Checks that a request owns the lock in both keys, with the same end. */
    private void isOwner(String request) {
        assertThat(fields()).containsEntry("owner", request);
        assertThat(fields(LOCK)).isEqualTo(Map.of(request, "1"));
        List<?> time = (List<?>) redis.command("TIME");
        long now = Long.parseLong(time.get(0).toString()) * 1_000
                + Long.parseLong(time.get(1).toString()) / 1_000;
        assertThat(field("until") - now).isCloseTo(left(LOCK), A_WHILE);
    }

    /** Sets how many turns ago and for how many milliseconds Redisson has had no chance. */
    private void noChance(int turns, long millis) {
        String[] state = fields().get("bridge").split(" ");
        set("bridge", turns + " " + (Long.parseLong(state[1]) - millis) + " " + state[2]);
    }

    @Test
    void aGrantIsWrittenToBothKeysWithTheSameEnd() {
        listen();
        Acquired granted = c.acquire(LOCK, "c:1");
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        isOwner("c:1");
        assertThat(fields().get("bridge")).startsWith("1 ").endsWith(" 0");
        assertThat(messages()).isZero();
    }

    @Test
    void aReleaseDeletesTheHashAndWakesRedisson() {
        listen();
        Acquired granted = c.acquire(LOCK, "c:1");
        assertThat(c.release(LOCK, "c:1", granted.token()).outcome()).isEqualTo(Release.RELEASED);
        assertThat(fields(LOCK)).isEmpty();
        assertThat(messages()).isEqualTo(1);
    }

    @Test
    void aDirectGrantWakesNoClientOfRedisson() {
        listen();
        Acquired granted = c.acquire(LOCK, "c:1");
        d.acquire(LOCK, "d:1");
        noChance(1, -60_000); // however slow the test is
        Released released = c.release(LOCK, "c:1", granted.token());
        assertThat(released.owner()).isEqualTo("d:1");
        assertThat(d.nextGrant().request()).isEqualTo("d:1");
        assertThat(fields(LOCK)).isEqualTo(Map.of("d:1", "1"));
        assertThat(messages()).isZero();
    }

    @Test
    void aHolderOfRedissonClosesTheLockUntilItsEnd() {
        take(20_000);
        Acquired queued = c.acquire(LOCK, "c:1");
        assertThat(queued.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(queued.owner()).isNull();
        assertThat(queued.remainingMillis()).isCloseTo(20_000, A_WHILE);
        assertThat(d.tryAcquire(LOCK, "d:1").verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(fields(LOCK)).isEqualTo(Map.of(THREAD, "1"));
        giveBack();
        assertThat(d.tryAcquire(LOCK, "d:1").verdict()).as("another one waits").isEqualTo(Verdict.REFUSED);
        assertThat(c.nextGrant().request()).isEqualTo("c:1");
        isOwner("c:1");
    }

    @Test
    void aHolderOfRedissonWithoutAnEndIsAskedForAgain() {
        redis.command("HINCRBY", LOCK, THREAD, "1");
        assertThat(c.acquire(LOCK, "c:1").remainingMillis()).isEqualTo(1_000);
    }

    @Test
    void afterSomeTurnsTheLockIsLeftToRedissonIfOneOfItListens() {
        Acquired granted = c.acquire(LOCK, "c:1");
        d.acquire(LOCK, "d:1");
        noChance(4, 0);
        listen();
        Released released = c.release(LOCK, "c:1", granted.token());
        assertThat(released.owner()).isNull();
        assertThat(released.claimMillis()).isEqualTo(5);
        assertThat(fields(LOCK)).isEmpty();
        assertThat(fields()).containsEntry("owner", "");
        assertThat(messages()).isEqualTo(1);
        while (d.acquire(LOCK, "d:1").verdict() != Verdict.GRANTED) {
            Thread.onSpinWait();
        }
        isOwner("d:1");
    }

    @Test
    void afterSomeTimeTheLockIsLeftToRedissonIfOneOfItListens() {
        Acquired granted = c.acquire(LOCK, "c:1");
        d.acquire(LOCK, "d:1");
        noChance(1, 20);
        listen();
        assertThat(c.release(LOCK, "c:1", granted.token()).owner()).isNull();
        assertThat(messages()).isEqualTo(1);
    }

    @Test
    void theNextWaiterGetsTheLockIfNoClientOfRedissonListens() {
        Acquired granted = c.acquire(LOCK, "c:1");
        d.acquire(LOCK, "d:1");
        noChance(4, 20);
        assertThat(c.release(LOCK, "c:1", granted.token()).owner()).isEqualTo("d:1");
        assertThat(d.nextGrant().request()).isEqualTo("d:1");
        assertThat(fields().get("bridge")).startsWith("1 ");
    }

    @Test
    void aKeptLockIsClosedForRedissonToo() {
        listen();
        Acquired granted = c.acquire(LOCK, "c:1");
        noChance(4, 20);
        Command.Release keeping = new Command.Release(LOCK, "c:1", granted.token(), granted.token(), 10_000, null);
        assertThat(c.ask(keeping, Released.class).claimMillis()).isEqualTo(10_000);
        isOwner("-");
        assertThat(messages()).isZero();
        assertThat(c.force(LOCK, 0).released()).isTrue();
        assertThat(fields(LOCK)).isEmpty();
        assertThat(messages()).isEqualTo(1);
    }

    @Test
    void aClaimThatLapsesWakesRedisson() {
        listen();
        Acquired granted = c.acquire(LOCK, "c:1");
        d.acquire(LOCK, "d:1");
        noChance(1, -60_000); // however slow the test is
        c.release(LOCK, "c:1", granted.token());
        assertThat(d.nextGrant().request()).isEqualTo("d:1");
        endLease();
        assertThat(c.withdraw(LOCK, null, 0).owner()).isNull();
        assertThat(fields(LOCK)).isEmpty();
        assertThat(messages()).isEqualTo(1);
    }

    @Test
    void aHoldWithoutItsHashIsLost() {
        Acquired granted = c.acquire(LOCK, "c:1");
        redis.command("DEL", LOCK);
        assertThat(c.renew(LOCK, "c:1", granted.token(), 30_000).items().get(0).outcome())
                .isEqualTo(Renewal.LOST);
        assertThat(c.takings).isEmpty();
        assertThat(d.acquire(LOCK, "d:1").verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(Client.next(c.takings).request()).isEqualTo("c:1");
        assertThat(c.release(LOCK, "c:1", granted.token()).outcome()).isEqualTo(Release.NOT_HELD);
        isOwner("d:1");
    }

    @Test
    void aHoldThatTheServerHasForgottenIsLostAndNotRestored() {
        Acquired granted = c.acquire(LOCK, "c:1");
        redis.command("FLUSHALL");
        assertThat(c.renew(LOCK, "c:1", granted.token(), 30_000).items().get(0).outcome())
                .isEqualTo(Renewal.LOST);
        assertThat(c.restore(LOCK, "c:1", granted.token()).outcome()).isEqualTo(Renewal.LOST);
        assertThat(c.release(LOCK, "c:1", granted.token()).outcome()).isEqualTo(Release.NOT_HELD);
        assertThat(fields(LOCK)).isEmpty();
    }

    @Test
    void aRenewalMovesBothEnds() {
        Acquired granted = c.acquire(LOCK, "c:1");
        redis.command("PEXPIRE", LOCK, "10000");
        assertThat(c.renew(LOCK, "c:1", granted.token(), 60_000).items().get(0).outcome())
                .isEqualTo(Renewal.OK);
        assertThat(left(LOCK)).isCloseTo(60_000, A_WHILE);
        isOwner("c:1");
    }

    @Test
    void aForceReleaseFreesAHolderOfRedisson() {
        listen();
        take(20_000);
        assertThat(c.force(LOCK, 0).released()).isTrue();
        assertThat(fields(LOCK)).isEmpty();
        assertThat(messages()).isEqualTo(1);
    }

    @Test
    void theCounterOfTokensStaysAtTheFence() {
        Acquired granted = c.acquire(LOCK, "c:1");
        assertThat(redis.command("GET", COUNTER)).isEqualTo("" + (granted.token() + BLOCK - 1));
        assertThat(left(COUNTER)).isCloseTo(DAY, A_WHILE);
        c.release(LOCK, "c:1", granted.token());
        long theirs = (Long) redis.command("INCR", COUNTER);
        assertThat(theirs).isGreaterThan(granted.token());
        long ahead = granted.token() + 3_600_000_000L;
        redis.command("SET", COUNTER, "" + ahead);
        assertThat(c.acquire(LOCK, "c:2").token()).isEqualTo(ahead + 1);
        assertThat(redis.command("GET", COUNTER)).isEqualTo("" + (ahead + BLOCK));
        assertThat(left(COUNTER)).as("for ever").isEqualTo(-1);
    }

    @Test
    void aClientWithoutTheBridgeIsRefused() {
        Acquired granted = c.acquire(LOCK, "c:1");
        refuses(a, new Command.Acquire(LOCK, "a:1", true, Client.LEASE, 0, Client.NEVER), "BRIDGED");
        c.release(LOCK, "c:1", granted.token());
        refuses(a, new Command.Acquire(LOCK, "a:1", true, Client.LEASE, 0, Client.NEVER), "BRIDGED");
        List<CompletableFuture<Reply>> together = IntStream.range(0, 100)
                .mapToObj(i -> a.send(new Command.Acquire(
                        i == 99 ? LOCK : "lock-" + i, a.request(i), true, Client.LEASE, 0, Client.NEVER)))
                .toList();
        assertThat(((Failed) Client.await(together.get(99))).cause()).hasMessageContaining("BRIDGED");
        assertThat(((Acquired) Client.await(together.get(98))).verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aLockThatIsUsedWithoutTheBridgeIsNotShared() {
        Acquired granted = a.acquire(LOCK, "a:1");
        Command.Acquire acquire = new Command.Acquire(LOCK, "c:1", true, Client.LEASE, 0, Client.NEVER);
        refuses(c, acquire, "UNBRIDGED");
        a.release(LOCK, "a:1", granted.token());
        assertThat(c.ask(acquire, Acquired.class).verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aKeyOfAnotherKindIsNotShared() {
        Command.Acquire acquire = new Command.Acquire(LOCK, "c:1", true, Client.LEASE, 0, Client.NEVER);
        redis.command("HSET", LOCK, "mode", "read", THREAD, "1");
        refuses(c, acquire, "UNBRIDGED");
        redis.command("DEL", LOCK);
        redis.command("SET", LOCK, "3");
        refuses(c, acquire, "UNBRIDGED");
        redis.command("DEL", LOCK);
        redis.command("RPUSH", FAIR_QUEUE, THREAD);
        refuses(c, acquire, "UNBRIDGED");
        redis.command("DEL", FAIR_QUEUE);
        assertThat(c.ask(acquire, Acquired.class).verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void anOwnerReleasesALockThatOthersWantAsAFairLock() {
        Acquired granted = c.acquire(LOCK, "c:1");
        redis.command("RPUSH", FAIR_QUEUE, THREAD);
        assertThat(c.release(LOCK, "c:1", granted.token()).outcome()).isEqualTo(Release.RELEASED);
        assertThat(redis.command("EXISTS", LOCK)).isEqualTo(0L);
        redis.command("DEL", FAIR_QUEUE);
    }

    private void refuses(Client client, Command<?> command, String code) {
        Map<String, String> before = fields();
        Failed failed = client.ask(command, Failed.class);
        assertThat(failed.executed()).isFalse();
        assertThat(failed.cause().isRetryable()).isFalse();
        assertThat(failed.cause()).hasMessageContaining(code);
        assertThat(fields()).isEqualTo(before);
    }

    @Test
    void aRefusedRequestLeavesNoKeyBehind() {
        take(20_000);
        assertThat(c.tryAcquire(LOCK, "c:1").verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(redis.command("EXISTS", KEY)).isEqualTo(0L);
    }

    @Test
    void aMissingRightIsReported() {
        redis.command("ACL", "SETUSER", "limited", "reset", "on", ">p", "~*", "&*", "+@all", "-hlen");
        String uri = "redis://limited:p@" + redis.uri().substring("redis://".length());
        try (Client limited = Client.open(
                "limited", RedisBackend.connect(uri, RedisOptions.defaults().withBridge(Bridge.redisson())))) {
            Command.Acquire acquire = new Command.Acquire(LOCK, "limited:1", true, Client.LEASE, 0, Client.NEVER);
            assertThat(limited.ask(acquire, Failed.class).cause()).hasMessageContaining("lacks a right");
            assertThat(fields()).isEmpty();
        }
    }

    @Test
    void aPairOfAcquireAndReleaseCostsTwoRequests() {
        Acquired first = c.acquire(LOCK, "c:0");
        c.release(LOCK, "c:0", first.token()); // so that the scripts are loaded
        Acquired[] granted = new Acquired[1];
        Map<String, Long> acquire = CallCost.of(redis, () -> granted[0] = c.acquire(LOCK, "c:1"))
                .commands()
                .calls();
        Map<String, Long> release = CallCost.of(redis, () -> c.release(LOCK, "c:1", granted[0].token()))
                .commands()
                .calls();
        Map<String, Long> both = Map.of("evalsha", 1L, "time", 1L, "hmget", 2L, "hlen", 1L, "get", 1L, "del", 1L);
        assertThat(acquire).containsAllEntriesOf(both);
        assertThat(release).containsAllEntriesOf(both);
        acquire.keySet().removeAll(both.keySet());
        release.keySet().removeAll(both.keySet());
        release.remove("pubsub"); // only when Redisson has had no chance for a while
        assertThat(acquire).isEqualTo(Map.of("exists", 1L, "hset", 3L, "pexpire", 1L, "pttl", 1L, "set", 1L));
        assertThat(release).isEqualTo(Map.of("hset", 2L, "hkeys", 1L, "publish", 1L));
    }
}
