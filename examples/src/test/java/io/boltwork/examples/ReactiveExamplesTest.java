// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockTimeoutException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.reactor.ReactorLocks;
import io.reactivex.rxjava3.core.Single;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** The examples of docs/start/reactive.md behave as the page says. */
class ReactiveExamplesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final MemoryServer server = MemoryServer.create();
    private final LockClient locks = LockClient.create(MemoryBackend.on(server));
    private final LockClient other = LockClient.create(MemoryBackend.on(server));
    private final FencedLock elsewhere = other.lock("stock:1001");

    @AfterEach
    void close() {
        locks.close();
        other.close();
    }

    @Test
    void aPurchaseWithReactorRunsUnderTheLock() {
        assertThat(ReactorExample.purchase(locks, Mono.fromCallable(elsewhere::tryLock))
                        .block(PATIENCE))
                .isFalse();
        assertThat(ReactorExample.write(ReactorLocks.of(locks), Mono::just).block(PATIENCE))
                .isPositive();
        assertThat(elsewhere.tryLock()).isTrue();
        assertThat(ReactorExample.purchase(locks, Mono.just(1))
                        .onErrorReturn(LockTimeoutException.class, 0)
                        .block(PATIENCE))
                .isZero();
        elsewhere.unlock();
    }

    @Test
    void aPurchaseWithRxJavaRunsUnderTheLock() {
        assertThat(RxExample.purchase(locks, Single.fromCallable(elsewhere::tryLock))
                        .blockingGet())
                .isFalse();
        assertThat(elsewhere.tryLock()).isTrue();
        elsewhere.unlock();
    }
}
