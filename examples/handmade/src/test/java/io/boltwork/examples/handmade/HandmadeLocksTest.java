// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.TrapServers.KEY;
import static io.boltwork.examples.handmade.TrapServers.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Without faults, the hand-written locks exclude. */
class HandmadeLocksTest {
    private static TrapServers servers;

    private interface LockAttempt {
        boolean tryLock() throws Exception;
    }

    private interface UnlockStep {
        void unlock() throws Exception;
    }

    @BeforeAll
    static void start() {
        servers = new TrapServers();
    }

    @AfterEach
    void reset() throws Exception {
        servers.reset();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    private static void exclude(LockAttempt first, LockAttempt second, UnlockStep release) throws Exception {
        assertThat(first.tryLock()).isTrue();
        assertThat(second.tryLock()).isFalse();
        release.unlock();
        assertThat(second.tryLock()).isTrue();
    }

    @Test
    void oneKeyExcludes() throws Exception {
        RedisCommands<String, String> redis = servers.connect();
        SetnxThenExpireLock setnx = new SetnxThenExpireLock(redis, "1");
        exclude(() -> setnx.tryLock("A", LEASE), () -> setnx.tryLock("B", LEASE), setnx::unlock);
        SetNxExLock set = new SetNxExLock(redis, "2");
        exclude(() -> set.tryLock("A", LEASE), () -> set.tryLock("B", LEASE), set::unlock);
        GetCompareDelLock compared = new GetCompareDelLock(redis, "3");
        exclude(() -> compared.tryLock("A", LEASE), () -> compared.tryLock("B", LEASE), () -> compared.unlock("A"));
        LuaReleaseLock lua = new LuaReleaseLock(redis, "4");
        exclude(() -> lua.tryLock("A", LEASE), () -> lua.tryLock("B", LEASE), () -> lua.unlock("A"));
    }

    @Test
    void anExpiryAsTheValueExcludes() throws Exception {
        ExpiryValueLock a = new ExpiryValueLock(servers.connect(), KEY, Clock.systemUTC());
        ExpiryValueLock b = new ExpiryValueLock(servers.connect(), KEY, Clock.systemUTC());
        exclude(() -> a.tryLock(LEASE), () -> b.tryLock(LEASE), a::unlock);
    }

    @Test
    void theLockOnTheTemplateExcludesAndIsReentrant() throws Exception {
        TemplateLock a = TemplateLock.ofObject(servers.template(), KEY, LEASE);
        TemplateLock b = TemplateLock.ofObject(servers.template(), KEY, LEASE);
        assertThat(a.tryLock(1, TimeUnit.MINUTES)).isTrue();
        exclude(a::tryLock, b::tryLock, () -> {
            a.unlock();
            assertThat(b.tryLock()).isFalse();
            a.unlock();
        });
    }

    @Test
    void aMessageWakesTheNextClient() throws Exception {
        String uri = servers.redis().uri();
        PubSubLock a = new PubSubLock(
                servers.connect(), servers.closing(servers.lettuce().connectPubSub(RedisURI.create(uri))), KEY);
        PubSubLock b = new PubSubLock(
                servers.connect(), servers.closing(servers.lettuce().connectPubSub(RedisURI.create(uri))), KEY);
        a.lock("A", LEASE);
        var waiting = servers.inThread("client B", () -> {
            b.lock("B", LEASE);
            return true;
        });
        TrapServers.awaitWaiting("client B");
        assertThat(a.unlock("A")).isEqualTo(2);
        assertThat(waiting.get()).isTrue();
    }

    @Test
    void theQueueIsServedInItsOrder() {
        FairQueueLock lock = new FairQueueLock(servers.connect(), KEY, LEASE);
        assertThat(lock.tryLock("A", LEASE)).isTrue();
        assertThat(lock.tryLock("B", LEASE)).isFalse();
        assertThat(lock.tryLock("C", LEASE)).isFalse();
        lock.unlock("A");
        assertThat(lock.tryLock("C", LEASE)).isFalse();
        assertThat(lock.tryLock("B", LEASE)).isTrue();
    }

    @Test
    void aMajorityExcludes() throws Exception {
        try (FiveMasters masters = FiveMasters.start(servers, List.of())) {
            HandRedlock a = masters.lock("A");
            HandRedlock b = masters.lock("B");
            exclude(() -> a.tryLock(LEASE).isPresent(), () -> b.tryLock(LEASE).isPresent(), a::unlock);
        }
    }
}
