// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.LockClient;
import io.boltwork.fence.StaleTokenException;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three clients, twelve threads, and users that ask twice. */
class CouponsTest {
    private static final int LIMIT = 10;
    private static final int USERS = 40;

    private final RedisServer server = RedisServer.start();
    private final RedisClient lettuce = RedisClient.create(server.uri());
    private final RedisCommands<String, String> redis = lettuce.connect().sync();
    private final List<LockClient> clients = new ArrayList<>();
    private final List<Coupons> shops = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(12);

    CouponsTest() {
        for (int i = 0; i < 3; i++) {
            LockClient client = LockClient.create(RedisBackend.connect(server.uri()));
            clients.add(client);
            shops.add(new Coupons(client, redis, LIMIT));
        }
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        clients.forEach(LockClient::close);
        lettuce.shutdown();
        server.close();
    }

    private interface CouponDesk<T> {
        Optional<T> handOut(Coupons shop, String user) throws Exception;
    }

    /** Lets each user ask twice, at different shops, and returns the coupons. */
    private <T> List<T> rush(CouponDesk<T> counter) throws Exception {
        List<Callable<Optional<T>>> requests = new ArrayList<>();
        for (int i = 0; i < 2 * USERS; i++) {
            Coupons shop = shops.get(i % shops.size());
            String user = "user" + i / 2;
            requests.add(() -> counter.handOut(shop, user));
        }
        List<T> coupons = new ArrayList<>();
        for (Future<Optional<T>> answer : threads.invokeAll(requests)) {
            answer.get().ifPresent(coupons::add);
        }
        return coupons;
    }

    @Test
    void aUserGetsOneCouponAndNoMoreAreCreatedThanThereAre() throws Exception {
        Set<String> users = ConcurrentHashMap.newKeySet();
        AtomicInteger created = new AtomicInteger();
        List<String> codes = rush((shop, user) -> shop.handOut("summer", user, owner -> {
            users.add(owner);
            return "SUMMER-" + created.incrementAndGet();
        }));
        assertThat(codes).hasSize(LIMIT).doesNotHaveDuplicates();
        assertThat(users).hasSize(LIMIT);
        assertThat(created).as("calls of the other system").hasValue(LIMIT);
        assertThat(redis.hvals("coupons:{summer}")).containsExactlyInAnyOrderElementsOf(codes);
    }

    @Test
    void numberedCouponsNeedNoLock() throws Exception {
        assertThat(rush((shop, user) -> shop.handOutNumber("winter", user)))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, LIMIT).boxed().toList());
        assertThat(redis.hlen("numbers:{winter}")).isEqualTo(LIMIT);
    }

    @Test
    void aHolderThatIsLateWritesNoCoupon() {
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> shops.get(0).handOut("summer", "slow", user -> {
                    clients.get(0).inspector().forceRelease("coupons:summer");
                    assertThat(handOut(shops.get(1))).contains("FAST-1");
                    return "SLOW-1";
                }));
        assertThat(redis.hgetall("coupons:{summer}")).containsOnlyKeys("fast");
    }

    private static Optional<String> handOut(Coupons shop) {
        try {
            return shop.handOut("summer", "fast", user -> "FAST-1");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
