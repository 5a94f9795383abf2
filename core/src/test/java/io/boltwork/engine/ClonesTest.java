// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.engine.client.EngineWorld;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.machine.LockMachine;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Two clients with one id on one server, as after a restored snapshot, in virtual time. */
class ClonesTest {

    private static final ClientRecord RECORD = new ClientRecord("clone", "test", "here", 1, 0, 1);

    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.create(time::instant);
    private final AtomicInteger ids = new AtomicInteger();
    private final List<Throwable> defects = new ArrayList<>();

    private Engine client() {
        server.execute(new Announce(RECORD, 0, "")); // both were announced before the snapshot
        return Engine.open(
                MemoryBackend.on(server),
                ClientOptions.defaults(),
                new EngineWorld(
                        RECORD,
                        time::now,
                        InstantSource.system(),
                        () -> "id" + ids.incrementAndGet(),
                        (task, delay) -> time.timer(delay, task),
                        Runnable::run,
                        bound -> 0,
                        (outcome, blocker, nanos) -> {
                            throw new IllegalStateException("no thread sleeps here");
                        },
                        defects::add,
                        () -> {},
                        LockMachine.UNDER_WAY));
    }

    private void pass(Duration span) {
        long end = time.now() + span.toNanos();
        while (time.step(end)) {}
        assertThat(defects).isEmpty();
    }

    private static Lease granted(CompletableFuture<Lease> wish) {
        assertThat(wish).isCompleted();
        return wish.join();
    }

    private static CompletableFuture<Lease> wish(Engine engine) {
        return new EngineLock(engine, "lock", LockOptions.defaults())
                .acquireAsync()
                .toCompletableFuture();
    }

    @Test
    void atMostOneOfTwoClonesIsValidTwoSecondsLater() {
        Engine one = client();
        Lease first = granted(wish(one));
        Engine other = client(); // its first request has the same number, and therefore is the owner
        Lease second = granted(wish(other));
        assertThat(first.fencingToken()).isEqualTo(second.fencingToken());
        pass(Duration.ofMillis(2_001));
        assertThat(List.of(first, second).stream().filter(Lease::isValid)).hasSizeLessThanOrEqualTo(1);
        assertThat(one.client()).isNotEqualTo(other.client());
    }

    @Test
    void theCloneThatKeepsItsIdKeepsItsHold() {
        List<Engine> engines = new ArrayList<>();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Engine engine = client();
            engines.add(engine);
            leases.add(granted(wish(engine)));
        }
        pass(Duration.ofMinutes(1));
        assertThat(engines.stream().map(Engine::client)).containsOnlyOnce(RECORD.id());
        for (int i = 0; i < 2; i++) {
            assertThat(leases.get(i).isValid())
                    .isEqualTo(engines.get(i).client().equals(RECORD.id()));
        }
    }

    @Test
    void bothClonesContinueUnderTheirOwnIds() {
        Engine one = client();
        Lease first = granted(wish(one));
        Engine other = client();
        CompletableFuture<Lease> second = wish(other);
        pass(Duration.ofMinutes(2));
        List.of(first, granted(second)).forEach(lease -> lease.releaseAsync());
        pass(Duration.ofMinutes(2));
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Lease> mine = wish(one);
            CompletableFuture<Lease> theirs = wish(other);
            pass(Duration.ofMillis(10));
            assertThat(mine.isDone() ^ theirs.isDone()).isTrue();
            granted(mine.isDone() ? mine : theirs).releaseAsync();
            pass(Duration.ofMillis(10));
            assertThat(mine).isDone();
            assertThat(theirs).isDone();
            List.of(mine, theirs).forEach(wish -> granted(wish).releaseAsync());
            pass(Duration.ofMillis(10));
        }
    }
}
