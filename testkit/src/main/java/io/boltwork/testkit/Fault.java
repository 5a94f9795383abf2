package io.boltwork.testkit;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Something that can go wrong, for tests of what the code under test does then. {@code toString()} says in words what it is.
 * A fault is made by {@link Faults} or {@link FaultyLink}, does nothing until it is injected, and may be injected again after
 * it was healed.
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
 * <p>Both methods block until what they say has happened. Injecting twice, and healing what was not injected, does nothing.
 */
public interface Fault extends AutoCloseable {

    /** Lets it go wrong. */
    void inject();

    /** Makes it good, as far as that is possible: what was killed or cut stays so, what was forgotten is lost. */
    void heal();

    /** The same as {@link #heal()}, for {@code try}-with-resources. */
    @Override
    default void close() {
        heal();
    }

    /**
     * A fault that lasts until it is healed.
     *
     * @param name what it is, such as {@code redis-server frozen}
     * @param inject lets it go wrong
     * @param heal makes it good
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
     * A fault that is over when it has happened. It can be injected again and again; there is nothing to heal.
     *
     * @param name what it is, such as {@code everything forgotten}
     * @param inject lets it happen
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
