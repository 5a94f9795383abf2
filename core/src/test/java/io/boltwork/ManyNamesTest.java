package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.memory.MemoryBackend;
import io.boltwork.spi.BackendListener;
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
import org.junit.jupiter.api.Test;

/** Names that were used once leave nothing on the heap. */
class ManyNamesTest {
    private static final int NAMES = 200_000;

    @Test
    void namesUsedOnceLeaveNoState() {
        Engine engine = Engine.open(MemoryBackend.create(), ClientOptions.defaults());
        for (int i = 0; i < NAMES; i++) {
            useOnce(engine, "order:" + i);
        }
        await("all state is dropped", () -> engine.states() == 0);
        engine.close();
    }

    @Test
    void namesUsedOnceAreForgotten() {
        Engine engine = Engine.open(new Oblivion(), ClientOptions.defaults());
        List<WeakReference<String>> names = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            String name = "order:" + i;
            if (i % 100 == 0) {
                names.add(new WeakReference<>(name));
            }
            useOnce(engine, name);
        }
        await("all state is dropped", () -> engine.states() == 0);
        await("all names are forgotten", () -> {
            System.gc();
            return names.stream().allMatch(name -> name.get() == null);
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
                () -> engine.drivers().stream().allMatch(driver -> driver.machine.hold() == null));
        for (int i = 0; i < 1_000; i++) {
            EngineLock lock = new EngineLock(engine, "order:" + i, LockOptions.defaults());
            assertThat(lock.holdCount()).isZero();
            try {
                lock.unlock();
            } catch (LeaseLostException expected) {
                assertThat(expected.loss().reason()).isEqualTo(LeaseLoss.Reason.EXPIRED);
            }
        }
        await("all state is dropped", () -> engine.states() == 0);
        engine.close();
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
    private static final class Oblivion implements LockBackend {
        private static final ServerTime NOW = new ServerTime(1_000_000, "oblivion");

        @Override
        public void open(String client, BackendListener listener) {
            listener.connected(NOW);
        }

        @Override
        public void send(Command command, Consumer<Reply> handler) {
            if (command instanceof Command.Acquire acquire) {
                handler.accept(
                        new Reply.Acquired(NOW, Reply.Verdict.GRANTED, 1_000_000_000, 0, 0, false, acquire.request()));
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
