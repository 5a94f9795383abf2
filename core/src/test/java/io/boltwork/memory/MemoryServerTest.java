// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static io.boltwork.memory.Scene.NEVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.spi.Announce;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The server as seen by its connections: faults, subscriptions, threads. */
class MemoryServerTest {
    private final MemoryServer server = MemoryServer.create();
    private final List<String> heard = new ArrayList<>();
    private final List<Reply> replies = new ArrayList<>();

    /** Records its events. */
    private final class Listener implements BackendListener {
        private final String name;

        Listener(String name) {
            this.name = name;
        }

        @Override
        public void granted(Grant grant) {
            heard.add(name + " granted " + grant.request());
        }

        @Override
        public void connected(ServerTime when) {
            assertThat(when.run()).isEqualTo(server.time().run());
            heard.add(name + " connected");
        }

        @Override
        public void disconnected(Throwable cause) {
            heard.add(name + " disconnected");
        }
    }

    private MemoryBackend open(String client) {
        MemoryBackend backend = MemoryBackend.on(server);
        backend.open(client, new Listener(client));
        return backend;
    }

    private static Command.Acquire ask(String request) {
        return new Command.Acquire("l", request, true, 10_000, 0, NEVER);
    }

    private static Command.Release release(String request, long token) {
        return new Command.Release("l", request, token, token, 0, null);
    }

    private Inspected inspect() {
        return server.execute(new Query.Inspect("l"));
    }

    private long lastToken() {
        return ((Acquired) replies.get(replies.size() - 1)).token();
    }

    @Test
    void backendsShareTheLocksAndReceiveTheirOwnGrants() {
        MemoryBackend a = open("a");
        MemoryBackend b = open("b");
        a.send(ask("a:1"), replies::add);
        b.send(ask("b:1"), replies::add);
        a.send(release("a:1", ((Acquired) replies.get(0)).token()), replies::add);
        assertThat(heard).containsExactly("a connected", "b connected", "b granted b:1");
    }

    @Test
    void aBackendBelongsToOneClient() {
        MemoryBackend a = open("a");
        assertThatThrownBy(() -> a.open("b", new Listener("b"))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> MemoryBackend.on(server).send(ask("c:1"), replies::add))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aBackendHasItsOwnServerAndTwoSecondsByDefault() {
        MemoryBackend own = MemoryBackend.create();
        assertThat(own.server()).isNotNull().isNotSameAs(MemoryBackend.create().server());
        assertThat(own.commandTimeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(own).hasToString("memory");
        MemoryBackend other = MemoryBackend.on(server, Duration.ofMillis(700));
        assertThat(other.server()).isSameAs(server);
        assertThat(other.commandTimeout()).isEqualTo(Duration.ofMillis(700));
    }

    @Test
    void aClosedBackendSendsAndReceivesNothing() {
        MemoryBackend a = open("a");
        a.close();
        a.close();
        a.send(ask("a:1"), replies::add);
        assertThat(replies)
                .singleElement()
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.executed()).isFalse());
        assertThat(inspect().owner()).isNull();
        server.disconnect(false);
        assertThat(heard).containsExactly("a connected");
    }

    @Test
    void aClosedBackendIsSkipped() {
        MemoryBackend a = open("a");
        MemoryBackend b = open("b");
        long token = (server.execute(ask("x:1"))).token();
        a.send(ask("a:1"), replies::add);
        b.send(ask("b:1"), replies::add);
        a.close();
        server.execute(release("x:1", token));
        assertThat(inspect().owner()).isEqualTo("b:1");
        assertThat(heard).doesNotContain("a granted a:1").contains("b granted b:1");
    }

    @Test
    void lateBytesStayLateWhenConnectionsBreakAgain() {
        MemoryBackend a = open("a");
        server.freeze();
        a.send(ask("a:1"), replies::add);
        server.disconnect(true);
        server.disconnect(false);
        server.thaw();
        assertThat(inspect().owner()).isEqualTo("a:1");
        assertThat(replies).singleElement().isInstanceOf(Failed.class);
    }

    @Test
    void aRestartedServerHasNoLateBytes() {
        MemoryBackend a = open("a");
        server.freeze();
        a.send(ask("a:1"), replies::add);
        server.disconnect(true);
        server.restart();
        server.freeze();
        server.thaw();
        assertThat(inspect().owner()).isNull();
    }

    @Test
    void grantsAfterAThawGoOutWithTheReplyThatCausedThem() {
        MemoryBackend a = open("a");
        MemoryBackend b = open("b");
        long token = (server.execute(ask("a:1"))).token();
        b.send(ask("b:1"), replies::add);
        server.freeze();
        a.send(release("a:1", token), reply -> heard.add("a released"));
        a.send(new Query.Inspect("l"), reply -> heard.add("a inspected"));
        server.thaw();
        assertThat(heard).containsSubsequence("a released", "b granted b:1", "a inspected");
        server.freeze();
        server.disconnect(false);
        heard.clear();
        server.thaw();
        assertThat(heard).containsExactly("a connected", "b connected");
    }

    @Test
    void aSubscribersErrorReachesTheCallerAndDeliveryGoesOn() throws InterruptedException {
        server.subscribe("b", grant -> {
            throw new AssertionError("on purpose");
        });
        server.subscribe("c", grant -> heard.add(grant.request()));
        long token = (server.execute(ask("a:1"))).token();
        server.execute(ask("b:1"));
        server.execute(ask("c:1"));
        assertThatThrownBy(() -> server.execute(release("a:1", token))).isInstanceOf(AssertionError.class);
        Thread another = new Thread(() -> server.execute(new Command.Withdraw("l", "b:1", 0)));
        another.setDaemon(true);
        another.start();
        another.join(5_000);
        assertThat(heard).containsExactly("c:1");
    }

    @Test
    void aFrozenServerExecutesInOrderWhenItThaws() {
        MemoryBackend a = open("a");
        MemoryBackend b = open("b");
        server.freeze();
        b.send(ask("b:1"), replies::add);
        a.send(ask("a:1"), replies::add);
        assertThat(replies).isEmpty();
        assertThat(inspect().owner()).isNull();
        server.thaw();
        assertThat(replies)
                .extracting(reply -> ((Acquired) reply).verdict())
                .containsExactly(Verdict.GRANTED, Verdict.QUEUED);
        assertThat(inspect().owner()).isEqualTo("b:1");
        assertThat(heard).containsExactly("a connected", "b connected");
    }

    @Test
    void aFrozenServerAcceptsNoConnection() {
        server.freeze();
        MemoryBackend late = MemoryBackend.on(server);
        assertThatThrownBy(() -> late.open("a", new Listener("a")))
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isTrue());
        server.thaw();
        late.open("a", new Listener("a"));
        assertThat(heard).containsExactly("a connected");
    }

    @Test
    void aBrokenConnectionComesBackAtOnce() {
        open("a").send(ask("a:1"), replies::add);
        server.disconnect(false);
        assertThat(heard).containsExactly("a connected", "a disconnected", "a connected");
        assertThat(inspect().owner()).isEqualTo("a:1");
    }

    @Test
    void commandsOfAFrozenServerAreUnknownAfterADisconnection() {
        for (boolean later : new boolean[] {true, false}) {
            MemoryBackend a = open("a");
            server.flush();
            server.freeze();
            replies.clear();
            a.send(ask("a:1"), replies::add);
            server.disconnect(later);
            assertThat(replies)
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Failed.class,
                            failed -> assertThat(failed.executed()).isTrue());
            a.send(ask("a:2"), replies::add); // fails during the outage
            assertThat(((Failed) replies.get(1)).executed()).isFalse();
            server.thaw();
            assertThat(inspect().owner()).isEqualTo(later ? "a:1" : null);
            assertThat(replies).hasSize(2);
            assertThat(heard).endsWith("a disconnected", "a connected");
            a.close();
        }
    }

    @Test
    void aServerThatIsCutOffFailsCommandsAtOnceAndKeepsItsData() {
        MemoryBackend a = open("a");
        a.send(ask("a:1"), replies::add);
        server.cutOff();
        a.send(ask("a:2"), replies::add);
        assertThat(((Failed) replies.get(1)).executed()).isFalse();
        assertThatThrownBy(() -> MemoryBackend.on(server).open("b", new Listener("b")))
                .isInstanceOf(BackendException.class);
        server.cutOff();
        server.thaw();
        assertThat(heard).containsExactly("a connected", "a disconnected", "a connected");
        assertThat(inspect().owner()).isEqualTo("a:1");
    }

    @Test
    void bytesOfAClosedBackendMayRunLater() {
        MemoryBackend a = open("a");
        server.freeze();
        a.send(ask("a:1"), replies::add);
        a.close();
        assertThat(((Failed) replies.get(0)).executed()).isTrue();
        server.thaw();
        assertThat(inspect().owner()).isEqualTo("a:1");
        assertThat(replies).hasSize(1);
    }

    @Test
    void aRestartedServerIsEmptyAndHasANewRun() {
        MemoryBackend a = open("a");
        a.send(ask("a:1"), replies::add);
        String run = server.time().run();
        server.freeze();
        a.send(release("a:1", lastToken()), replies::add);
        server.restart();
        assertThat(server.time().run()).isNotEqualTo(run);
        assertThat(((Failed) replies.get(1)).executed()).isTrue();
        assertThat(inspect().fence()).isZero();
        assertThat(heard).containsExactly("a connected", "a disconnected", "a connected");
        a.send(ask("a:2"), replies::add);
        assertThat(((Acquired) replies.get(2)).server().run())
                .isEqualTo(server.time().run());
    }

    @Test
    void aReplicaThatTakesOverHasNotSeenTheLastWrites() {
        MemoryBackend a = open("a");
        String run = server.time().run();
        a.send(ask("a:1"), replies::add);
        long first = lastToken();
        MemoryReplica behind = server.replica();
        server.execute(new Command.Acquire("later", "a:3", true, 10_000, 0, Long.MAX_VALUE));
        a.send(release("a:1", first), replies::add);
        a.send(ask("a:2"), replies::add);
        server.failOver(behind);
        assertThat(inspect().owner()).isEqualTo("a:1");
        assertThat(inspect().token()).isEqualTo(first);
        assertThat((server.execute(new Query.Inspect("later"))).owner()).isNull();
        assertThat(server.time().run()).isNotEqualTo(run);
        assertThat(heard).containsExactly("a connected", "a disconnected", "a connected");
    }

    @Test
    void aReplicaGetsNoLaterUpdatesAndCanTakeOverAgain() {
        MemoryBackend a = open("a");
        MemoryBackend b = open("b");
        a.send(ask("a:1"), replies::add);
        b.send(ask("b:1"), replies::add);
        MemoryReplica replica = server.replica();
        server.failOver(replica);
        server.execute(new Command.Withdraw("l", "b:1", 0));
        server.execute(new ForceRelease("l", 0));
        assertThat(inspect().queue()).isEmpty();
        server.failOver(replica);
        assertThat(inspect().owner()).isEqualTo("a:1");
        assertThat(inspect().queue()).hasSize(1);
    }

    @Test
    void aReplicaKnowsTheAnnouncedClients() {
        ClientRecord known = new ClientRecord("a", "shop", "host", 42, 0, 1);
        server.execute(new Announce(known, 60_000, "n"));
        MemoryReplica replica = server.replica();
        server.execute(new Announce(new ClientRecord("b", "shop", "host", 43, 0, 1), 60_000, "n"));
        server.failOver(replica);
        QueryReply.Identified answer = server.execute(new Query.Identify(List.of("a", "b")));
        assertThat(answer.clients()).containsExactly(known);
        server.flush();
        server.failOver(replica);
        answer = server.execute(new Query.Identify(List.of("a")));
        assertThat(answer.clients()).containsExactly(known);
    }

    @Test
    void theClockMoves() {
        Instant begin = Instant.ofEpochSecond(5, 123_456_789);
        MemoryServer still = MemoryServer.create(() -> begin);
        assertThat(still.time().millis()).isEqualTo(5_123);
        still.advance(Duration.ofSeconds(2));
        still.advance(Duration.ofMillis(-500));
        assertThat(still.time().millis()).isEqualTo(6_623);
    }

    @Test
    void anUnsubscribedClientIsSkipped() {
        long token = server.execute(ask("a:1")).token();
        server.subscribe("b", grant -> heard.add(grant.request()));
        server.execute(ask("b:1"));
        server.unsubscribe("b");
        server.execute(release("a:1", token));
        assertThat(heard).isEmpty();
        assertThat(inspect().owner()).isNull();
    }

    @Test
    void subscribersThatExecuteCommandsNeitherRecurseNorDeadlock() {
        int rounds = 20_000; // would overflow the stack
        AtomicInteger grants = new AtomicInteger();
        for (String client : List.of("a", "b")) {
            server.subscribe(client, grant -> {
                if (grants.incrementAndGet() < rounds) {
                    server.execute(new Command.Release(
                            "l", grant.request(), grant.token(), grant.token(), 0, ask(client + ":" + grants.get())));
                }
            });
        }
        long token = (server.execute(ask("a:0"))).token();
        server.execute(ask("b:0"));
        server.execute(new Command.Release("l", "a:0", token, token, 0, ask("a:1")));
        assertThat(grants.get()).isEqualTo(rounds);
    }

    @Test
    void aThrowingSubscriberAffectsNoOther() {
        Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
        List<Throwable> reported = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> reported.add(e));
        try {
            long token = (server.execute(ask("a:1"))).token();
            server.subscribe("b", grant -> {
                throw new IllegalStateException("broken");
            });
            server.subscribe("c", grant -> heard.add(grant.request()));
            server.execute(ask("b:1"));
            server.execute(ask("c:1"));
            server.execute(release("a:1", token));
            server.execute(new Command.Withdraw("l", "b:1", 0));
            assertThat(heard).containsExactly("c:1");
            assertThat(reported).singleElement().isInstanceOf(IllegalStateException.class);
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(before);
        }
    }

    @Test
    void oneHolderAtATimeAmongManyThreads() throws Exception {
        int clients = 4;
        int holds = 2_000;
        AtomicBoolean held = new AtomicBoolean();
        AtomicInteger overlaps = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int c = 0; c < clients; c++) {
                String client = "client" + c;
                all.add(threads.submit(() -> lockOften(client, holds, held, overlaps)));
            }
            for (Future<?> one : all) {
                one.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(overlaps.get()).isZero();
        assertThat(inspect().owner()).isNull();
        assertThat(inspect().queue()).isEmpty();
    }

    private void lockOften(String client, int holds, AtomicBoolean held, AtomicInteger overlaps) {
        MemoryBackend backend = MemoryBackend.on(server);
        var granted = new java.util.concurrent.ConcurrentHashMap<String, Long>();
        var signal = new java.util.concurrent.Semaphore(0);
        backend.open(client, new BackendListener() {
            @Override
            public void granted(Grant grant) {
                granted.put(grant.request(), grant.token());
                signal.release();
            }

            @Override
            public void connected(ServerTime when) {}

            @Override
            public void disconnected(Throwable cause) {}
        });
        for (int i = 0; i < holds; i++) {
            String request = client + ":" + i;
            backend.send(ask(request), reply -> {
                if (reply instanceof Acquired acquired && acquired.verdict() == Verdict.GRANTED) {
                    granted.put(request, acquired.token());
                    signal.release();
                }
            });
            signal.acquireUninterruptibly();
            Long token = granted.remove(request);
            if (token == null || !held.compareAndSet(false, true)) {
                overlaps.incrementAndGet();
                return;
            }
            held.set(false);
            CountDownLatch released = new CountDownLatch(1);
            backend.send(release(request, token), reply -> released.countDown());
            if (released.getCount() != 0) {
                overlaps.incrementAndGet();
            }
        }
        backend.close();
    }
}
