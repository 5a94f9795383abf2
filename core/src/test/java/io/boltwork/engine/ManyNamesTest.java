// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.engine.client.EngineWorld;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.watch.BusyLocks;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Names that were used once leave nothing on the heap. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "long: -Dboltwork.proof=true")
class ManyNamesTest {
    private static final int NAMES = 200_000;

    @Test
    void namesUsedOnceLeaveNoState() {
        Engine engine = Engine.open(MemoryBackend.create(), ClientOptions.defaults());
        for (int i = 0; i < NAMES; i++) {
            useOnce(engine, "order:" + i);
        }
        await("all state is dropped", () -> engine.drivers.count() == 0);
        engine.close();
    }

    @Test
    void namesUsedOnceAreForgotten() {
        Engine engine = Engine.open(new ForgetfulBackend(), ClientOptions.defaults());
        List<WeakReference<String>> names = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            String name = "order:" + i;
            if (i % 100 == 0) {
                names.add(new WeakReference<>(name));
            }
            useOnce(engine, name);
        }
        await("all state is dropped", () -> engine.drivers.count() == 0);
        await("all names are forgotten, except those that are counted", () -> {
            System.gc();
            return names.stream().filter(name -> name.get() != null).count() <= BusyLocks.KEPT;
        });
        engine.close();
    }

    @Test
    void namesWaitedForAndLostLeaveNoState() {
        Engine engine = Engine.open(MemoryBackend.create(), ClientOptions.defaults());
        for (int i = 0; i < 1_000; i++) {
            EngineLock lock = new EngineLock(engine, "order:" + i, LockOptions.defaults());
            lock.lock(Duration.ofMillis(10 + i % 10));
            lock.tryAcquireAsync(Duration.ofMillis(1)).thenAccept(maybe -> maybe.ifPresent(Lease::release));
        }
        await(
                "all leases have ended",
                () -> engine.drivers.all().stream().allMatch(driver -> driver.machine.hold() == null));
        for (int i = 0; i < 1_000; i++) {
            EngineLock lock = new EngineLock(engine, "order:" + i, LockOptions.defaults());
            assertThat(lock.holdCount()).isZero();
            try {
                lock.unlock();
            } catch (LeaseLostException expected) {
                assertThat(expected.loss().reason()).isEqualTo(LeaseLoss.Reason.EXPIRED);
            }
        }
        await("all state is dropped", () -> engine.drivers.count() == 0);
        engine.close();
    }

    @Test
    void namesUsedOnceAsACoolDownLeaveNothingAfterAMinute() throws InterruptedException {
        int count = NAMES / 2;
        VirtualTime time = new VirtualTime();
        Engine engine = still(time);
        List<WeakReference<Hold>> holds = new ArrayList<>();
        long before = usedHeap();
        for (int i = 0; i < count; i++) {
            EngineLock lock = new EngineLock(engine, "order:" + i, LockOptions.defaults());
            assertThat(lock.tryLock(Duration.ZERO, Duration.ofMillis(200))).isTrue();
            holds.add(new WeakReference<>(engine.drivers.holdOf(lock.name(), Thread.currentThread())));
        }
        passQuietly(time, Duration.ofSeconds(50)); // each loss would be logged
        assertThat(engine.drivers.count()).isEqualTo(count);
        assertThat((usedHeap() - before) / count).as("bytes for each").isLessThan(1_536);
        passQuietly(time, Duration.ofSeconds(45)); // lost holds are checked every half minute
        assertThat(engine.drivers.count()).isZero();
        await("all holds are forgotten", () -> {
            System.gc();
            return holds.stream().allMatch(hold -> hold.get() == null);
        });
    }

    private static void passQuietly(VirtualTime time, Duration duration) {
        Logger log = Logger.getLogger("io.boltwork");
        Level level = log.getLevel();
        log.setLevel(Level.OFF);
        long end = time.now() + duration.toNanos();
        while (time.step(end)) {}
        log.setLevel(level);
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** Creates a client in virtual time, without threads. */
    private static Engine still(VirtualTime time) {
        EngineWorld world = new EngineWorld(
                new ClientRecord("c", "test", "here", 1, 0, LockBackend.WIRE_VERSION),
                time::now,
                time::instant,
                () -> "another",
                (task, delay) -> time.timer(delay, task),
                Runnable::run,
                bound -> 0,
                (outcome, blocker, nanos) -> {
                    throw new IllegalStateException("no thread sleeps here");
                },
                defect -> {
                    throw new IllegalStateException(defect);
                },
                () -> {},
                LockMachine.UNDER_WAY);
        return Engine.open(new ForgetfulBackend(), ClientOptions.defaults(), world);
    }

    private static void useOnce(Engine engine, String name) {
        // releases are remembered as long as their leases would have run
        EngineLock lock = new EngineLock(engine, name, LockOptions.renewedLease(Duration.ofSeconds(1)));
        lock.lock();
        lock.unlock();
    }

    private static void await(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - start)
                    .as(what)
                    .isLessThan(Duration.ofSeconds(30).toNanos());
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
    }

    /** A backend that grants everything and remembers nothing. */
    private static final class ForgetfulBackend implements LockBackend {
        private static final ServerTime NOW = new ServerTime(1_000_000, "oblivion");

        @Override
        public void open(String client, BackendListener listener) {
            listener.connected(NOW);
        }

        @Override
        public void rename(String client) {}

        @Override
        public void send(Command<?> command, Consumer<Reply> handler) {
            if (command instanceof Command.Acquire acquire) {
                handler.accept(
                        new Reply.Acquired(NOW, Reply.Verdict.GRANTED, 1_000_000_000, 0, 0, false, acquire.request()));
            } else if (command instanceof Command.Renew renew) {
                handler.accept(new Reply.Renewed(
                        NOW,
                        renew.items().stream()
                                .map(item -> new Reply.Renewed.Item(Reply.Renewal.OK, item.request()))
                                .toList()));
            } else {
                handler.accept(new Reply.Released(NOW, Reply.Release.RELEASED, null, 0, null));
            }
        }

        @Override
        public Duration commandTimeout() {
            return Duration.ofSeconds(2);
        }

        @Override
        public void close() {}
    }
}
