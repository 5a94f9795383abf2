// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.LockException;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.engine.diagnose.LongWaits;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.EngineReadWriteLock;
import io.boltwork.spi.Command;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A client whose clock stands still unless moved, and threads that hold and want its locks. */
@Timeout(120)
public abstract class HangingScene {

    public static final LockOptions TEN = LockOptions.renewedLease(Duration.ofSeconds(10));

    private static final long STEP = Duration.ofMillis(500).toNanos();

    public final StillClient client;
    public final LogBook log = new LogBook();
    public final List<LockListener.Deadlock> deadlocks = new CopyOnWriteArrayList<>();
    public final List<LockListener.LongHold> longHolds = new CopyOnWriteArrayList<>();
    public final List<LockListener.LongWait> longWaits = new CopyOnWriteArrayList<>();

    /** The commands that were sent. */
    public final ConcurrentLinkedQueue<Command<?>> sent = new ConcurrentLinkedQueue<>();

    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    /** All clients, the first of which is {@link #client}. */
    private final List<StillClient> clients = new CopyOnWriteArrayList<>();

    /** Is open when the threads may go on. */
    final CountDownLatch end = new CountDownLatch(1);

    public HangingScene() {
        this(ClientOptions.defaults());
    }

    public HangingScene(ClientOptions options) {
        client = new StillClient(1, options);
        clients.add(client);
        client.longestNap = Duration.ofMillis(1).toNanos();
        client.wire = command -> {
            sent.add(command);
            return client.execute(command);
        };
        client.engine.listen(new LockListener() {
            @Override
            public void deadlock(Deadlock event) {
                deadlocks.add(event);
            }

            @Override
            public void longHold(LongHold event) {
                longHolds.add(event);
            }

            @Override
            public void longWait(LongWait event) {
                longWaits.add(event);
            }
        });
    }

    /** Creates another client of the same server, which adds the deadlocks that it reports to a list. */
    public StillClient another(String id, List<LockListener.Deadlock> told) {
        StillClient other = new StillClient(client, id);
        other.engine.listen(new LockListener() {
            @Override
            public void deadlock(Deadlock event) {
                told.add(event);
            }
        });
        clients.add(other);
        return other;
    }

    @AfterEach
    void leave() throws InterruptedException {
        end.countDown();
        clients.forEach(one -> one.engine.close());
        for (Thread thread : threads) {
            thread.join();
        }
        log.close();
        assertThat(clients).allMatch(StillClient::isSound);
    }

    // ---- locks

    public FencedLock lock(String name) {
        return lock(name, TEN);
    }

    public FencedLock lock(String name, LockOptions options) {
        return new EngineLock(client.engine, name, options);
    }

    public static FencedLock lock(StillClient owner, String name) {
        return new EngineLock(owner.engine, name, TEN);
    }

    public FencedReadWriteLock both(String name) {
        return both(client, name);
    }

    public static FencedReadWriteLock both(StillClient owner, String name) {
        return new EngineReadWriteLock(owner.engine, name, TEN);
    }

    // ---- threads

    public interface Body {
        void run() throws InterruptedException;
    }

    /** Starts a thread, which ends with the client. */
    public Thread start(String name, Body body) {
        Thread thread = new Thread(
                () -> {
                    try {
                        body.run();
                    } catch (LockException | InterruptedException closed) {
                        // the end of the test
                    }
                },
                name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return thread;
    }

    /** Starts a thread that takes one lock, and takes another one on request. Returns when it has the first one. */
    public Holder holder(String name, FencedLock first) {
        Holder holder = new Holder();
        start(name, () -> {
            first.lock();
            holder.holds = true;
            until(() -> holder.next != null || end.getCount() == 0);
            if (holder.next != null) {
                holder.next.run();
            }
        });
        until(() -> holder.holds);
        return holder;
    }

    /** A thread that holds a lock. */
    public static final class Holder {
        public volatile boolean holds;
        public volatile Body next;

        public void goesOn(Body body) {
            next = body;
        }

        public void wants(FencedLock second) {
            goesOn(() -> {
                second.lock();
                second.unlock();
            });
        }
    }

    /** Waits until so many threads of all clients have waited for some time. */
    public void untilWaiting(int count) {
        until(() -> waits().size() == count);
    }

    /** Returns the callers of all clients that have waited for some time. */
    private List<LongWaits.Wait> waits() {
        return clients.stream()
                .flatMap(one -> one.engine.longWaits.since(client.now(), 0).stream())
                .toList();
    }

    public static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(100_000);
            assertThat(Thread.currentThread().isInterrupted()).as("interrupted").isFalse(); // by a timeout
        }
    }

    // ---- time

    /** Lets time pass, in steps that are so short that the threads keep up with the clock. */
    public void pass(long seconds) {
        long until = client.now() + Duration.ofSeconds(seconds).toNanos();
        while (client.now() < until) {
            client.passTo(Math.min(until, client.now() + STEP));
            clients.forEach(one -> one.engine.drivers.all().forEach(this::settle));
            untilAllHaveLooked();
        }
    }

    /** Waits until the mailbox of a lock has run all its events. */
    private void settle(LockDriver driver) {
        AtomicBoolean ran = new AtomicBoolean();
        boolean posted = driver.post(d -> ran.set(true));
        until(() -> ran.get() || !posted);
    }

    /** Waits until all threads that wait have looked at the clock. */
    private void untilAllHaveLooked() {
        Map<LongWaits.Wait, Integer> before = new HashMap<>();
        waits().stream().filter(wait -> wait.isOfThread).forEach(wait -> before.put(wait, naps(wait)));
        before.forEach((wait, naps) -> until(() -> wait.isOver() || naps(wait) >= naps + 2));
    }

    private int naps(LongWaits.Wait wait) {
        return client.naps.getOrDefault(wait.asker, 0);
    }

    public <T extends Command<?>> List<T> sent(Class<T> kind) {
        return sent.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
