// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.fault;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Something that can go wrong, for tests of how the code under test reacts. {@code toString()} describes the fault in
 * words. A fault is created by {@link Faults} or {@link FaultyLink}. It does nothing until it is injected, and may be
 * injected again after it has been healed.
 *
 * <pre>{@code
 * try (RedisServer redis = RedisServer.start();
 *         LockClient locks = LockClient.create(RedisBackend.connect(redis.uri()));
 *         Fault frozen = Faults.freeze(redis)) {
 *     Lease lease = locks.lock("stock", LockOptions.renewedLease(Duration.ofSeconds(2))).acquire();
 *     frozen.inject();
 *     Await.until("the code under test has seen that its lease is lost", () -> shop.isClosed());
 * } // heals
 * }</pre>
 *
 * <p>Both methods block until their effect is complete. Injecting a fault twice, or healing one that is not injected,
 * does nothing.
 *
 * @since 0.1.0
 */
public interface Fault extends AutoCloseable {

    /** Makes the fault happen. */
    void inject();

    /**
     * Undoes the fault as far as possible: broken connections stay broken, a killed JVM stays killed, and lost data
     * stays lost.
     */
    void heal();

    /** Heals this fault, as {@link #heal()} does; for {@code try}-with-resources. */
    @Override
    default void close() {
        heal();
    }

    /**
     * Creates a fault that lasts until it is healed.
     *
     * @param name the fault in words, such as {@code redis-server frozen}
     * @param inject makes the fault happen
     * @param heal undoes the fault
     * @return the fault
     */
    static Fault lasting(String name, Runnable inject, Runnable heal) {
        AtomicBoolean injected = new AtomicBoolean();
        return new Fault() {
            @Override
            public void inject() {
                if (injected.compareAndSet(false, true)) {
                    inject.run();
                }
            }

            @Override
            public void heal() {
                if (injected.compareAndSet(true, false)) {
                    heal.run();
                }
            }

            @Override
            public String toString() {
                return name;
            }
        };
    }

    /**
     * Creates a fault that is over as soon as it has happened. It can be injected repeatedly, and healing does nothing.
     *
     * @param name the fault in words, such as {@code everything forgotten}
     * @param inject makes the fault happen
     * @return the fault
     */
    static Fault momentary(String name, Runnable inject) {
        return new Fault() {
            @Override
            public void inject() {
                inject.run();
            }

            @Override
            public void heal() {}

            @Override
            public String toString() {
                return name;
            }
        };
    }
}
