// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.TrapServers.KEY;

import io.boltwork.ClientInfo;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockOptions;
import io.boltwork.fence.RedisFence;
import io.boltwork.fence.StaleTokenException;
import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** The same traps with Boltwork, those on one Redis first: stage 13. */
final class BoltworkTraps {
    static final List<Trap> ALL = List.of(
            Trap.onRedis("boltwork-crash", "stage 1: a holder crashes", BoltworkTraps::crash),
            Trap.onRedis(
                    "boltwork-unlock", "stages 2 and 3: a client unlocks what it does not hold", BoltworkTraps::unlock),
            Trap.onRedis(
                    "boltwork-lease-ends",
                    "stages 4, 10 and 12: the lease ends during the work",
                    BoltworkTraps::leaseEnds),
            Trap.onRedis("boltwork-owners", "stage 6: owners", BoltworkTraps::owners),
            Trap.onRedis(
                    "boltwork-forms",
                    "stage 6: tryLock with a time, lockInterruptibly, conditions",
                    BoltworkTraps::forms),
            Trap.onRedis(
                    "boltwork-lost-message", "stage 7: the message of the release is lost", BoltworkTraps::lostMessage),
            Trap.onRedis("boltwork-dead-waiter", "stage 8: a dead client in the queue", BoltworkTraps::deadWaiter),
            BoltworkServersTraps.FAILOVER,
            BoltworkServersTraps.QUORUM,
            BoltworkStoresTraps.DATABASE,
            BoltworkStoresTraps.SESSION);

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private BoltworkTraps() {}

    private static void crash(TrapServers servers, TrapLog log) throws Exception {
        LockClient b = servers.boltwork("B");
        ChildJvm a = servers.jvm("boltwork", servers.redis().uri());
        log.a("tryLock: " + TrapServers.line(a) + ", lease 500 ms, renewed");
        a.kill();
        log.a("the JVM is killed");
        boolean second = b.lock(KEY).tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        log.b("waits for the end of the lease; tryLock: " + second);
        log.end(second, TrapVerdict.PASSED, "Acquiring and the lease are one step at the server.");
    }

    private static void unlock(TrapServers servers, TrapLog log) {
        LockClient a = servers.boltwork("A");
        LockClient b = servers.boltwork("B");
        log.showing(() -> state(a));
        log.a("tryLock: " + a.lock(KEY).tryLock());
        String refused = "";
        try {
            b.lock(KEY).unlock();
        } catch (IllegalMonitorStateException e) {
            refused = "throws, it is not the holder";
        }
        log.b("unlock: " + refused);
        boolean second = b.lock(KEY).tryLock();
        log.b("tryLock: " + second);
        log.end(
                !refused.isEmpty() && !second,
                TrapVerdict.PASSED,
                "Each request has its own id, and one script compares it.");
    }

    private static void leaseEnds(TrapServers servers, TrapLog log) throws Exception {
        LockClient a = servers.boltwork("A");
        LockClient b = servers.boltwork("B");
        RedisCommands<String, String> rows = servers.connect();
        RedisFence fence = RedisFence.on((script, keys, arguments) -> rows.eval(
                script, ScriptOutputType.VALUE, keys.toArray(String[]::new), arguments.toArray(String[]::new)));
        log.showing(() -> "row: " + TrapServers.orDash(rows.get("row")));
        Lease first =
                a.lock(KEY, LockOptions.fixedLease(Duration.ofMillis(200))).acquire();
        log.a("acquire: a lease of 200 ms");
        try (Lease second = b.lock(KEY).tryAcquire(PATIENCE).orElseThrow()) {
            log.b("acquire: a larger token: " + (second.fencingToken() > first.fencingToken()));
            fence.set("row", "B", second.fencingToken());
            log.b("writes B with its token");
            String late = "";
            try {
                fence.set("row", "A", first.fencingToken());
            } catch (StaleTokenException e) {
                late = e.getClass().getSimpleName();
            }
            log.a("writes A with its token: " + late);
            String told = released(first);
            log.a("release: " + told);
            log.end(
                    !late.isEmpty() && !told.isEmpty() && "B".equals(rows.get("row")),
                    TrapVerdict.TOLD,
                    "The holder learns of it, and its token is refused.");
        }
    }

    /** Releases a lease and returns what it reports. */
    private static String released(Lease lease) {
        try {
            lease.release();
            return "";
        } catch (LeaseLostException e) {
            return "lost, " + e.loss().reason();
        }
    }

    private static void owners(TrapServers servers, TrapLog log) throws Exception {
        LockClient a = servers.boltwork("A");
        LockClient b = servers.boltwork("B");
        log.showing(() -> state(a));
        FencedLock shared = a.lock(KEY);
        log.a("thread 1: tryLock: " + shared.tryLock());
        boolean second = servers.inThread("thread 2", shared::tryLock).get();
        log.a("thread 2, the same object: tryLock: " + second);
        boolean third = b.lock(KEY).tryLock();
        log.b("thread 1, another client: tryLock: " + third);
        log.end(
                !second && !third,
                TrapVerdict.PASSED,
                "An owner is a thread of one client, and each client has its own id.");
    }

    private static void forms(TrapServers servers, TrapLog log) throws Exception {
        LockClient a = servers.boltwork("A");
        LockClient b = servers.boltwork("B");
        log.showing(() -> state(a));
        FencedLock lock = a.lock(KEY);
        boolean first = lock.tryLock(0, TimeUnit.SECONDS);
        Duration lease = a.inspector().describe(KEY).remaining();
        boolean longLease = lease.compareTo(Duration.ofSeconds(20)) > 0;
        log.a("tryLock(0 s): " + first + ", with a lease of 30 s: " + longLease);
        boolean second = b.lock(KEY).tryLock(0, TimeUnit.SECONDS);
        log.b("tryLock(0 s): " + second);
        boolean interrupted =
                servers.inThread("client B", () -> isInterrupted(b.lock(KEY))).get();
        log.b("lockInterruptibly, interrupted: throws: " + interrupted);
        lock.unlock();
        boolean signalled = signal(servers, lock);
        log.a("newCondition(): a signal wakes the other thread: " + signalled);
        log.end(
                first && longLease && !second && interrupted && signalled,
                TrapVerdict.PASSED,
                "All methods of Lock do what Lock says.");
    }

    private static boolean isInterrupted(FencedLock lock) {
        Thread.currentThread().interrupt();
        try {
            lock.lockInterruptibly();
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    /** Lets a thread wait for a condition, signals it, and returns whether the thread was woken by the signal. */
    @SuppressWarnings("WaitNotInLoop") // whether it is woken is the question
    private static boolean signal(TrapServers servers, FencedLock lock) throws Exception {
        Condition filled = lock.newCondition();
        CountDownLatch held = new CountDownLatch(1);
        Future<Boolean> woken = servers.inThread("thread 2", () -> {
            lock.lock();
            held.countDown();
            try {
                return filled.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } finally {
                lock.unlock();
            }
        });
        held.await();
        lock.lock(); // returns when thread 2 waits
        filled.signal();
        lock.unlock();
        return woken.get();
    }

    private static void lostMessage(TrapServers servers, TrapLog log) throws Exception {
        FaultyLink link = servers.closing(FaultyLink.to(servers.redis()));
        LockClient a = servers.boltwork("A");
        LockClient b = servers.boltwork("B", link.uri());
        log.showing(() -> state(a));
        a.lock(KEY).lock();
        log.a("lock() returns");
        Future<Boolean> waiting =
                servers.inThread("client B", () -> b.lock(KEY).tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        awaitQueued(a, 1);
        log.b("tryLock(10 s) waits");
        Fault broken = link.unreachable();
        broken.inject();
        log.b("its connections break");
        a.lock(KEY).unlock();
        broken.heal();
        boolean second = waiting.get();
        log.a("unlock, while B is away");
        log.b("connects again, asks the server; tryLock: " + second);
        log.end(second, TrapVerdict.PASSED, "A message is only a hint: after a break, a client asks the server.");
    }

    private static void deadWaiter(TrapServers servers, TrapLog log) throws Exception {
        FaultyLink link = servers.closing(FaultyLink.to(servers.redis()));
        LockClient a = servers.boltwork("A");
        LockClient b = servers.boltwork("B");
        LockClient dying = servers.boltwork("C", link.uri());
        log.showing(() -> state(a));
        a.lock(KEY).lock();
        log.a("lock() returns");
        dying.lock(KEY).tryAcquireAsync(PATIENCE);
        awaitQueued(a, 1);
        log.b("client C queues");
        Future<Optional<Lease>> waiting =
                servers.inThread("client B", () -> b.lock(KEY).tryAcquire(PATIENCE));
        awaitQueued(a, 2);
        log.b("queues");
        servers.closing(link.unreachable()).inject();
        servers.awaitListeners(2);
        log.b("client C cannot be reached any more");
        long since = System.nanoTime();
        a.lock(KEY).unlock();
        try (Lease second = waiting.get().orElseThrow()) {
            log.a("unlock");
            boolean soon = System.nanoTime() - since < Slack.seconds(3).toNanos();
            log.b("acquires at once: " + (soon && second.isValid()));
            log.end(soon, TrapVerdict.PASSED, "A client without a connection is passed over.");
        }
    }

    private static void awaitQueued(LockClient looker, int requests) {
        Await.until(
                "clients have queued",
                () -> looker.inspector().describe(KEY).queue().size() == requests);
    }

    /** Describes the lock as the inspector sees it: the application that holds it. */
    private static String state(LockClient looker) {
        String[] holder = {"free"};
        Await.until("the holder is known", () -> {
            List<LockInfo.Holder> holders = looker.inspector().describe(KEY).holders();
            holders.forEach(each ->
                    holder[0] = each.client().map(ClientInfo::application).orElse(""));
            return !holder[0].isEmpty();
        });
        return KEY + ": " + holder[0];
    }
}
