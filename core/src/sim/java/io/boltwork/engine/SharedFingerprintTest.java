// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.boltwork.Lease;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.engine.locks.EngineReadLock;
import io.boltwork.engine.locks.EngineSemaphore;
import io.boltwork.engine.locks.EngineWriteLock;
import io.boltwork.spi.Command;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Resize;
import io.boltwork.spi.Share;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * States that differ in a shared lock only must not be taken for the same one: {@link SmallCase} would leave one of
 * them out.
 */
@ExtendWith(Quiet.class)
class SharedFingerprintTest {

    private static final String READ_WRITE = SharedName.readWrite("a");
    private static final String SEMAPHORE = SharedName.semaphore("a", 3);
    private static final LockOptions RENEWED = LockOptions.renewedLease(Duration.ofSeconds(4));

    /** Two clients without users, one server, and one shared lock. */
    private static final class World {
        final Exploration time = new Exploration();
        final Simulation simulation;
        private final String lock;

        World(String lock) {
            this.lock = lock;
            Plan.Fault names = new Plan.Fault(Plan.Trouble.FLUSH, Plan.Moment.ANY, 0, "c0", lock, 0, false, 0, 0);
            simulation = new Simulation(
                    new Plan(
                            0,
                            Plan.Weather.ROUGH,
                            Plan.Network.GOOD,
                            Duration.ofSeconds(30),
                            List.of(new Plan.Client("c0", 0, 0, List.of()), new Plan.Client("c1", 0, 0, List.of())),
                            List.of(names)),
                    time,
                    false);
            time.pass();
            settle();
        }

        /** Delivers all that is under way. */
        void settle() {
            time.settle();
            for (List<String> ready; !(ready = time.ready()).isEmpty(); ) {
                time.happen(ready.get(0));
            }
        }

        Reply execute(Command<?> command) {
            return simulation.cluster.execute(simulation.cluster.lock(lock).server(), command);
        }

        /** Asks for a part of the lock at the server, which is granted or queued. */
        Reply.Acquired acquire(String request, int permits) {
            return acquire(request, permits, 0);
        }

        Reply.Acquired acquire(String request, int permits, int configured) {
            return (Reply.Acquired) execute(
                    new Command.Acquire(lock, request, true, 4_000, 0, Long.MAX_VALUE, share(permits, configured)));
        }

        /** Gives back a hold. A late restore of it may arrive until a time, and its least time may not be over. */
        void release(String request, int permits, Reply.Acquired grant, long restoredUntil, long keepMillis) {
            long end = grant.share().blockEnd();
            HeldShare held = new HeldShare(share(permits, 0), end, restoredUntil);
            execute(new Command.Release(lock, request, grant.token(), grant.token(), keepMillis, null, held));
        }

        private Share share(int permits, int configured) {
            LockKind kind = SharedName.kind(lock);
            return new Share(kind, permits, configured == 0 ? SharedName.capacity(lock) : configured, 0);
        }

        Engine engine(int client) {
            return simulation.clients().get(client).engine;
        }

        CompletableFuture<Lease> reads(int client) {
            return new EngineReadLock(engine(client), lock, RENEWED)
                    .acquireAsync()
                    .toCompletableFuture();
        }

        CompletableFuture<Lease> writes(int client) {
            return new EngineWriteLock(engine(client), lock, RENEWED)
                    .acquireAsync()
                    .toCompletableFuture();
        }

        CompletableFuture<Lease> wants(int client, int permits) {
            return new EngineSemaphore(engine(client), lock, 3, RENEWED)
                    .acquireAsync(permits)
                    .toCompletableFuture();
        }

        long fingerprint() {
            simulation.check();
            return Fingerprint.of(simulation, time.pending());
        }
    }

    private static World world(String lock, Consumer<World> events) {
        World world = new World(lock);
        events.accept(world);
        return world;
    }

    private final Set<SmallCase.World> worlds = new LinkedHashSet<>();

    @AfterEach
    void close() {
        worlds.forEach(SmallCase.World::close);
    }

    // ---- the server

    static Stream<Arguments> differencesAtServer() {
        return Stream.of(
                difference("weight of a hold", w -> w.acquire("c0:1", 1), w -> w.acquire("c0:1", 2)),
                difference("number of holds", w -> w.acquire("c0:1", 2), w -> {
                    w.acquire("c0:1", 1);
                    w.acquire("c0:2", 1);
                }),
                difference(
                        "weight in the queue",
                        w -> {
                            w.acquire("c0:1", 3);
                            w.acquire("c1:1", 1);
                        },
                        w -> {
                            w.acquire("c0:1", 3);
                            w.acquire("c1:1", 2);
                        }),
                difference("configured permits", w -> w.acquire("c0:1", 1, 3), w -> w.acquire("c0:1", 1, 4)),
                difference(
                        "permits that were set",
                        w -> w.execute(new Resize(SEMAPHORE, LockKind.SEMAPHORE, 3)),
                        w -> w.execute(new Resize(SEMAPHORE, LockKind.SEMAPHORE, 4))),
                difference("a claim, and a hold that is confirmed", w -> claim(w), w -> {
                    claim(w);
                    w.acquire("c1:1", 3);
                }),
                difference("a tombstone", w -> released(w, 1, 0, 0), w -> released(w, 1, later(w), 0)),
                difference("the weight of a marker", w -> released(w, 1, 0, 9_000), w -> released(w, 2, 0, 9_000)));
    }

    private static Arguments difference(String name, Consumer<World> one, Consumer<World> other) {
        return arguments(name, one, other);
    }

    private static void claim(World world) {
        Reply.Acquired grant = world.acquire("c0:1", 3);
        world.acquire("c1:1", 3);
        world.release("c0:1", 3, grant, 0, 0);
    }

    private static void released(World world, int permits, long restoredUntil, long keepMillis) {
        world.release("c0:1", permits, world.acquire("c0:1", permits), restoredUntil, keepMillis);
    }

    private static long later(World world) {
        return world.simulation.cluster.servers().get(0).time().millis() + 9_000;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("differencesAtServer")
    void statesAtTheServerAreTold(String name, Consumer<World> one, Consumer<World> other) {
        assertThat(world(SEMAPHORE, one).fingerprint())
                .isEqualTo(world(SEMAPHORE, one).fingerprint())
                .isNotEqualTo(world(SEMAPHORE, other).fingerprint());
    }

    @Test
    void readersAndWritersAreTold() {
        assertThat(world(READ_WRITE, w -> w.acquire("c0:1", 1)).fingerprint())
                .isNotEqualTo(world(READ_WRITE, w -> w.acquire("c0:1", SharedName.capacity(READ_WRITE)))
                        .fingerprint());
    }

    // ---- the clients

    @Test
    void aReaderThatJoinsAHoldChangesTheState() {
        World world = world(READ_WRITE, w -> w.reads(0));
        world.settle();
        long one = world.fingerprint();
        CompletableFuture<Lease> second = world.reads(0);
        assertThat(world.time.ready()).as("requests of a reader that joins").isEmpty();
        world.settle();
        assertThat(second).isDone();
        long two = world.fingerprint();
        assertThat(two).isNotEqualTo(one);
        second.join().release();
        assertThat(world.fingerprint()).as("a token has been used").isNotIn(one, two);
    }

    @Test
    void callersThatWaitChangeTheState() {
        World world = world(SEMAPHORE, w -> w.wants(1, 3));
        world.settle();
        Set<Long> prints = new LinkedHashSet<>();
        for (int callers = 0; callers < 5; callers++) {
            world.wants(0, 1);
            world.settle();
            assertThat(prints.add(world.fingerprint()))
                    .as("%d callers", callers)
                    .isTrue();
        }
        assertThat(world.simulation.cluster.look(SEMAPHORE).queue())
                .as("at the server")
                .hasSize(3);
    }

    @Test
    void whatArrivesInAnotherOrderIsTheSameStateAfterwards() {
        World one = world(READ_WRITE, SharedFingerprintTest::readersAreGranted);
        World other = world(READ_WRITE, SharedFingerprintTest::readersAreGranted);
        List<String> replies = one.time.ready();
        assertThat(replies).hasSize(2);
        one.time.happen(replies.get(0));
        other.time.happen(replies.get(1));
        assertThat(one.fingerprint()).isNotEqualTo(other.fingerprint());
        one.time.happen(replies.get(1));
        other.time.happen(replies.get(0));
        assertThat(one.fingerprint()).isEqualTo(other.fingerprint());
    }

    private static void readersAreGranted(World world) {
        world.reads(0);
        world.reads(1);
        world.time.ready().forEach(world.time::happen);
    }

    // ---- whole cases

    private static IntStream sharedCases() {
        return IntStream.range(0, SmallCasesTest.sharedCases(60, 1).size()).filter(number -> number % 7 == 0);
    }

    private SmallCase.World walk(SmallCase of, int seed, Consumer<SmallCase.World> look) {
        Random random = new Random(seed);
        SmallCase.World world = of.new World(false);
        worlds.add(world);
        for (int ways, step = 0; step < 40 && (ways = world.ways()) > 0; step++) {
            world.go(random.nextInt(ways));
            look.accept(world);
        }
        return world;
    }

    @ParameterizedTest
    @MethodSource("sharedCases")
    void theSameWayLeadsToTheSameStates(int number) {
        SmallCase of = SmallCasesTest.sharedCases(60, 1).get(number);
        Set<Long> first = new LinkedHashSet<>();
        Set<Long> again = new LinkedHashSet<>();
        walk(of, number, world -> first.add(world.fingerprint()));
        walk(of, number, world -> again.add(world.fingerprint()));
        assertThat(again).hasSizeGreaterThan(10).containsExactlyElementsOf(first);
    }

    /** A type that counts as equal whatever it contains must contain nothing that matters. */
    @ParameterizedTest
    @MethodSource("sharedCases")
    void allTypesThatCanMatterAreOpened(int number) {
        SmallCase of = SmallCasesTest.sharedCases(60, 1).get(number);
        walk(
                of,
                number,
                world -> assertThat(Fingerprint.closedTypes(world.simulation, world.time.pending()))
                        .isSubsetOf(Object.class, ThreadLocal.class, Semaphore.class));
    }
}
