// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.TrapServers.KEY;
import static io.boltwork.examples.handmade.TrapServers.LEASE;

import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/** The traps of the reentrant lock on Spring's template: stage 6. */
final class TemplateTraps {
    static final List<Trap> ALL = List.of(
            Trap.onRedis("owner-of-two-jvms", "two JVMs with the same owner", TemplateTraps::twoJvms),
            Trap.onRedis("owner-of-two-threads", "the owner is fixed in the constructor", TemplateTraps::twoThreads),
            Trap.onRedis("wait-as-lease", "the time to wait is taken for the lease", TemplateTraps::waitAsLease),
            Trap.onRedis("interruptibly", "lockInterruptibly() is empty", TemplateTraps::interruptibly),
            Trap.onRedis("condition", "newCondition() returns null", TemplateTraps::condition),
            Trap.onRedis("timers", "a new timer for each renewal", TemplateTraps::timers));

    private TemplateTraps() {}

    private static void twoJvms(TrapServers servers, TrapLog log) throws Exception {
        log.showing(() -> KEY + ": " + servers.observer().hgetall(KEY));
        ChildJvm a = servers.jvm("template", servers.redis().uri());
        String first = TrapServers.line(a);
        log.a("JVM 1, thread 1: tryLock: " + first);
        ChildJvm b = servers.jvm("template", servers.redis().uri());
        String second = TrapServers.line(b);
        log.b("JVM 2, thread 1: tryLock: " + second);
        log.end(
                first.equals("true") && second.equals("true"),
                TrapVerdict.TWO_INSIDE,
                "Both threads are uuid:1, so the call of B counts as a nested one of A.");
    }

    private static void twoThreads(TrapServers servers, TrapLog log) throws Exception {
        log.showing(() -> counts(servers));
        Lock shared = TemplateLock.ofObject(servers.template(), KEY, LEASE);
        boolean first = servers.inThread("A", shared::tryLock).get();
        log.a("thread 1: tryLock: " + first);
        boolean second = servers.inThread("B", shared::tryLock).get();
        log.b("thread 2: tryLock: " + second);
        log.end(first && second, TrapVerdict.TWO_INSIDE, "All threads share the lock, and its owner with it.");
    }

    private static void waitAsLease(TrapServers servers, TrapLog log) throws Exception {
        log.showing(() -> counts(servers));
        Lock a = TemplateLock.ofObject(servers.template(), KEY, LEASE);
        Lock b = TemplateLock.ofObject(servers.template(), KEY, LEASE);
        boolean first = a.tryLock(0, TimeUnit.SECONDS);
        log.a("tryLock(0 s), without waiting: " + first);
        boolean second = b.tryLock(0, TimeUnit.SECONDS);
        log.b("tryLock(0 s), without waiting: " + second);
        log.end(
                first && second,
                TrapVerdict.TWO_INSIDE,
                "No time to wait becomes a lease of 0 s: the key ends at once.");
    }

    private static void interruptibly(TrapServers servers, TrapLog log) throws Exception {
        log.showing(() -> counts(servers));
        Lock a = TemplateLock.ofObject(servers.template(), KEY, LEASE);
        Lock b = TemplateLock.ofObject(servers.template(), KEY, LEASE);
        boolean first = a.tryLock();
        log.a("tryLock: " + first);
        b.lockInterruptibly();
        log.b("lockInterruptibly() returns");
        boolean heldByA = counts(servers).equals(KEY + ": count 1");
        log.end(first && heldByA, TrapVerdict.TWO_INSIDE, "The method is empty, so B works without the lock.");
    }

    @SuppressWarnings("WaitNotInLoop") // it does not come to waiting
    private static void condition(TrapServers servers, TrapLog log) throws Exception {
        log.showing(() -> counts(servers));
        Lock a = TemplateLock.ofObject(servers.template(), KEY, LEASE);
        a.lock();
        log.a("lock() returns");
        String thrown = "";
        try {
            a.newCondition().await();
        } catch (NullPointerException e) {
            thrown = e.getClass().getSimpleName();
        }
        log.a("newCondition().await(): " + thrown);
        log.end(
                !thrown.isEmpty(),
                TrapVerdict.EXCEPTION,
                "The type says that there are conditions. The first use of one fails, with the lock held.");
    }

    private static void timers(TrapServers servers, TrapLog log) {
        log.showing(() -> counts(servers));
        Lock a = TemplateLock.ofObject(servers.template(), KEY, Slack.of(Duration.ofMillis(900)));
        long before = renewingThreads();
        a.lock();
        log.a("lock() with a lease of 900 ms");
        Await.until("three renewals are over", () -> renewingThreads() - before >= 4);
        log.server("3 renewals");
        a.unlock();
        log.a("unlock()");
        long left = renewingThreads() - before;
        log.a("timer threads that are left: " + (left >= 4 ? "4 or more" : left));
        log.end(
                left >= 4,
                TrapVerdict.THREADS_LEAK,
                "Each renewal has its own timer, and none is shut down. One more every 10 s.");
    }

    private static long renewingThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("renewal of " + KEY))
                .count();
    }

    private static String counts(TrapServers servers) {
        Map<String, String> owners = servers.observer().hgetall(KEY);
        return KEY + ": " + (owners.isEmpty() ? "free" : "count " + String.join(", ", owners.values()));
    }
}
