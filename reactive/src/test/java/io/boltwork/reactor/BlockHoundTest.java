// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.rxjava.RxLocks;
import io.boltwork.testkit.server.RedisServer;
import io.reactivex.rxjava3.core.Completable;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import reactor.blockhound.BlockHound;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Tests that nothing blocks a thread that must not block, with a real Redis. */
@Isolated
class BlockHoundTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The calls that blocked, with their stacks. */
    private static final Queue<String> BLOCKED = new ConcurrentLinkedQueue<>();

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        // noted and not thrown, because an error in a thread of the client would have consequences of its own
        BlockHound.builder()
                .loadIntegrations()
                // guards a few instructions, like the locks inside the JDK's collections; waits are not by lock()
                .allowBlockingCallsInside("java.util.concurrent.locks.ReentrantLock", "lock")
                // Netty's buffers wait for each other for some instructions when their number grows
                .allowBlockingCallsInside(
                        "io.netty.buffer.AdaptivePoolingAllocator$MagazineGroup", "tryExpandMagazines")
                .blockingMethodCallback(method ->
                        BLOCKED.add(method + " on " + Thread.currentThread().getName() + "\n"
                                + Stream.of(new Throwable().getStackTrace())
                                        .map(frame -> "    " + frame)
                                        .collect(Collectors.joining("\n"))))
                .install();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        BLOCKED.clear();
    }

    @Test
    void blockingIsNoticed() {
        Mono<Object> blocks = Mono.fromRunnable(() -> {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        blocks.subscribeOn(Schedulers.parallel()).block(PATIENCE);
        assertThat(BLOCKED).singleElement().asString().contains("Thread.sleep");
    }

    @Test
    void noMethodAndNoSubscriptionBlocks() {
        try (LockClient client = LockClient.create(RedisBackend.connect(server.uri()));
                LockClient other = LockClient.create(RedisBackend.connect(server.uri()))) {
            Mono<Long> all = Flux.just(client, other, client, other)
                    .flatMap(each -> uses(ReactorLocks.of(each), RxLocks.of(each), each)
                            .repeat(20)
                            .subscribeOn(Schedulers.parallel()))
                    .count();
            assertThat(all.block(PATIENCE)).isEqualTo(4 * 21);
        }
        // a new connection has a nonce; the kernel gives random bytes at once
        assertThat(BLOCKED)
                .filteredOn(call -> !call.contains("SecureRandom.nextBytes"))
                .isEmpty();
    }

    private static Mono<String> uses(ReactorLocks locks, RxLocks rx, LockClient client) {
        Duration wait = Duration.ofSeconds(20);
        return Mono.defer(() -> locks.lock("stock").withLock(wait, Mono.just("held")))
                .flatMap(held -> locks.readWriteLock("prices").readLock().withLock(Mono.just(held)))
                .flatMap(held -> locks.readWriteLock("prices").writeLock().withLock(Mono.just(held)))
                .flatMap(held -> locks.semaphore("uploads", 2).withPermit(Mono.just(held)))
                .flatMap(held ->
                        locks.multiLock(client.lock("a"), client.lock("b")).withLock(Mono.just(held)))
                .flatMap(held -> locks.latch("done")
                        .trySetCount(1)
                        .then(locks.latch("done").countDown())
                        .then(locks.latch("done").await(wait))
                        .thenReturn(held))
                .flatMap(held -> Mono.from(rx.lock("stock")
                                .withLock(wait, Completable.complete())
                                .<String>toFlowable())
                        .thenReturn(held));
    }
}
