// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Nodes of a cluster that answer with an ERR which may pass, as serverless ones do when a slot moves. */
class ClusterPassingErrorsTest {
    private static final String NOT_LOCAL =
            "ERR Script attempted to access a non local key in a cluster node script: f00, on @user_script:5.";

    private static ClusterGroup group;
    private static ClientResources resources;
    private static final Map<Integer, RespProxy> PROXIES = new HashMap<>();

    @BeforeAll
    static void start() {
        group = ClusterGroup.start(3, 0, ClusterSite.PATIENT);
        group.masters().forEach(master -> PROXIES.put(master.port(), new RespProxy(master)));
        Function<HostAndPort, HostAndPort> throughProxies = announced -> HostAndPort.of(
                announced.getHostText(), PROXIES.get(announced.getPort()).port());
        resources = ClientResources.builder()
                .socketAddressResolver(MappingSocketAddressResolver.create(throughProxies))
                .build();
    }

    @AfterAll
    static void stop() {
        resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        PROXIES.values().forEach(RespProxy::close);
        group.close();
    }

    @AfterEach
    void heal() {
        change(value -> value);
    }

    private static void change(UnaryOperator<RespProxy.@Nullable Value> how) {
        PROXIES.values().forEach(proxy -> proxy.change(how));
    }

    private static LockClient client() {
        return LockClient.create(RedisBackend.connectCluster(
                group.uris(), RedisOptions.defaults().withClientResources(resources)));
    }

    @Test
    void aNodeThatHasJustLostASlotIsLeftForItsNewOwner() {
        try (LockClient client = client()) {
            FencedLock lock = client.lock("moved");
            lock.lock();
            lock.unlock();
            int slot = ClusterTurns.slot("moved");
            RedisServer from = group.masterOf(slot);
            RedisServer to = group.masters().stream()
                    .filter(master -> master.port() != from.port())
                    .findFirst()
                    .orElseThrow();
            AtomicInteger errors = new AtomicInteger();
            change(value -> {
                if (value.type() == '-' && value.line().startsWith("MOVED")) {
                    errors.incrementAndGet();
                    return RespProxy.Value.error(NOT_LOCAL);
                }
                return value;
            });
            group.moveSlot(slot, from, to);
            assertThat(lock.tryLock()).as("a single try").isTrue();
            assertThat(lock.currentLease().orElseThrow().verify()).isTrue();
            lock.unlock();
            assertThat(errors).as("answers without a code").hasPositiveValue();
            group.moveSlot(slot, to, from);
        }
    }

    @Test
    void aTryAndARenewalAreSentAgainAfterAnErrorThatPasses() {
        try (LockClient client = client()) {
            AtomicInteger left = new AtomicInteger(2);
            change(value ->
                    value.isLockAnswer() && left.getAndDecrement() > 0 ? RespProxy.Value.error(NOT_LOCAL) : value);
            Duration length = Slack.seconds(3);
            FencedLock lock = client.lock("again", LockOptions.renewedLease(length));
            assertThat(lock.tryLock()).isTrue();
            Lease lease = lock.currentLease().orElseThrow();
            left.set(2);
            lease.extend(Duration.ofMinutes(1));
            assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(30));
            left.set(1);
            lock.unlock();
            Await.until("it is free", () -> client.lock("again").tryLock());
        }
    }
}
