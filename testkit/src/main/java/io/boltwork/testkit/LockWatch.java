// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import io.boltwork.FencedLock;
import io.boltwork.LeaseLostException;
import io.boltwork.LocalLock;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.LockSummary;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Query;
import io.boltwork.testkit.wait.Await;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Watches the locks of a server during one test, and finds those that the test leaves behind. Notes where the owners
 * got their locks. Thread-safe.
 */
final class LockWatch {
    /** The time for releases that are on their way. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** The turns of waiting callers that are ended, before the data are dropped in any case. */
    private static final int ROUNDS = 100;

    private static final long RECORD_MILLIS = 60_000;

    /** The frames at the top of a stack that say nothing about the test. */
    private static final Pattern OWN =
            Pattern.compile("(java|jdk|io\\.boltwork\\.(engine|machine|memory|testkit\\.LockWatch))\\b.*");

    /** The class in which users' threads wait. */
    private static final String CALLERS = "io.boltwork.engine.Callers";

    private record Watched(String name, LockClient client) {}

    private record HoldKey(LockKind kind, String lock, long token) {}

    /** A lock that is left: who uses it, and where its owners got it. */
    private record Left(String text, boolean isAwaited, List<Throwable> stacks) {}

    private final MemoryServer server;
    private final List<Watched> clients = new CopyOnWriteArrayList<>();

    /** The holds that have not been released, also lost ones, and where their owners got them, if that is known. */
    private final Map<HoldKey, Optional<Throwable>> acquisitions = new ConcurrentHashMap<>();

    /** The first deadlock that a client has reported. */
    final CompletableFuture<LockListener.Deadlock> deadlock = new CompletableFuture<>();

    private final LockListener listener = new LockListener() {
        @Override
        public void acquired(Acquired event) {
            String thread = "thread '" + Thread.currentThread().getName() + "'";
            Throwable here = event.owner().endsWith(thread) // else the thread that released the lock
                    ? new Throwable("'" + event.lockName() + "' was acquired here by " + event.owner())
                    : null;
            acquisitions.put(
                    new HoldKey(event.kind(), event.lockName(), event.fencingToken()), Optional.ofNullable(here));
        }

        @Override
        public void released(Released event) {
            acquisitions.remove(new HoldKey(event.kind(), event.lockName(), event.fencingToken()));
        }

        @Override
        public void deadlock(Deadlock event) {
            deadlock.complete(event);
        }
    };

    LockWatch(MemoryServer server) {
        this.server = server;
    }

    /** Returns whether a test is allowed to leave locks. */
    static boolean mayLeaveLocks(@Nullable Method test, Class<?> testClass) {
        boolean may = test != null && test.isAnnotationPresent(MayLeaveLocks.class);
        for (Class<?> type = testClass; type != null && !may; type = type.getEnclosingClass()) {
            may = type.isAnnotationPresent(MayLeaveLocks.class);
        }
        return may;
    }

    /** Watches the locks of a client from now on. */
    void add(String name, LockClient client) {
        clients.add(new Watched(name, client));
        client.addListener(listener, Runnable::run);
    }

    /** Stops watching the clients, which go on. */
    void end() {
        clients.forEach(watched -> watched.client.removeListener(listener));
    }

    /** Heals the server, and fails if a lock is held or waited for. Waits a while for releases on their way. */
    void check() {
        server.thaw();
        try (LockClient here = LockClient.create(MemoryBackend.on(server))) {
            LockInspector inspector = here.inspector();
            try {
                Await.within(
                        PATIENCE, "no locks are left", () -> left(inspector).isEmpty());
            } catch (AssertionError late) {
                fail(left(inspector));
            }
        }
    }

    private static void fail(List<Left> left) {
        if (left.isEmpty()) {
            return; // the last lock was released meanwhile
        }
        StringBuilder text = new StringBuilder("The test has left locks that are held or waited for. Release them and"
                + " end the waits, or allow it by @MayLeaveLocks:");
        left.forEach(lock -> text.append(System.lineSeparator()).append(lock.text));
        AssertionError failure = new AssertionError(text.toString());
        left.stream().flatMap(lock -> lock.stacks.stream()).forEach(failure::addSuppressed);
        if (left.stream().anyMatch(Left::isAwaited)) {
            waitingThreads().forEach(failure::addSuppressed);
        }
        for (Throwable stack : failure.getSuppressed()) {
            stack.setStackTrace(Arrays.stream(stack.getStackTrace())
                    .dropWhile(frame -> OWN.matcher(frame.getClassName()).matches())
                    .toArray(StackTraceElement[]::new));
        }
        throw failure;
    }

    /** Returns the stacks of all threads of this JVM that wait for a lock, since a client does not tell its own. */
    private static List<Throwable> waitingThreads() {
        List<Throwable> found = new ArrayList<>();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (Arrays.stream(stack).anyMatch(frame -> frame.getClassName().equals(CALLERS))) {
                Throwable here = new Throwable("thread '" + thread.getName() + "' waits here");
                here.setStackTrace(stack);
                found.add(here);
            }
        });
        return found;
    }

    private List<Left> left(LockInspector inspector) {
        List<Left> left = new ArrayList<>();
        for (LockSummary lock : inspector.list("*", Integer.MAX_VALUE)) {
            if (lock.holders() > 0 || lock.waiting() > 0) {
                left(inspector.describe(lock.kind(), lock.name())).ifPresent(left::add);
            }
        }
        return left;
    }

    /** Returns what is left of a lock; empty if it is free, or if a client merely retains it. */
    private Optional<Left> left(LockInfo info) {
        List<String> lines = new ArrayList<>();
        List<Throwable> stacks = new ArrayList<>();
        boolean isAwaited = !info.queue().isEmpty();
        for (Watched watched : clients) {
            LocalLock local = watched.client.inspector().local(info.kind(), info.name());
            for (LocalLock.Holder holder : local.holders()) {
                if (info.holders().stream().anyMatch(held -> held.request().equals(holder.request()))) {
                    lines.add("'" + holder.owner() + "' of " + watched.name + " has it");
                    acquisitions
                            .getOrDefault(
                                    new HoldKey(info.kind(), info.name(), holder.fencingToken()), Optional.empty())
                            .ifPresent(stacks::add);
                }
            }
            if (local.waiting() > 0) {
                lines.add(local.waiting() + (local.waiting() == 1 ? " caller of " : " callers of ") + watched.name
                        + " waiting");
                isAwaited = true;
            }
        }
        if (lines.isEmpty() && !isAwaited && info.holders().stream().allMatch(LockInfo.Holder::mayBeRetained)) {
            return Optional.empty();
        }
        lines.add(0, info.toString());
        return Optional.of(new Left(String.join(System.lineSeparator() + "  ", lines), isAwaited, stacks));
    }

    /**
     * Takes all locks from their owners, and drops all locks, semaphores and latches. Does not move the clock back,
     * because tokens must grow.
     */
    void clean() {
        server.thaw();
        clients.forEach(watched -> acquisitions.keySet().forEach(hold -> unlock(watched.client, hold)));
        try (LockClient here = LockClient.create(MemoryBackend.on(server))) {
            LockInspector inspector = here.inspector();
            boolean held = true;
            for (int i = 0; i < ROUNDS && held; i++) { // the next waiter gets what is taken
                held = false;
                for (LockSummary lock : inspector.list("*", Integer.MAX_VALUE)) {
                    held |= lock.holders() > 0 && inspector.forceRelease(lock.kind(), lock.name());
                }
            }
        }
        List<ClientRecord> known =
                server.execute(new Query.ScanClients("", ROUNDS)).clients();
        server.flush();
        // clients announce themselves too seldom for the next test's message
        known.forEach(client -> server.execute(new Announce(client, RECORD_MILLIS, "")));
    }

    /** Ends the holds of this thread, which runs the next test, too; otherwise it would learn there of their loss. */
    private static void unlock(LockClient client, HoldKey hold) {
        switch (hold.kind) {
            case LOCK -> unlock(client.lock(hold.lock));
            case READ_WRITE -> {
                unlock(client.readWriteLock(hold.lock).readLock());
                unlock(client.readWriteLock(hold.lock).writeLock());
            }
            case SEMAPHORE -> {} // its leases belong to no thread
        }
    }

    private static void unlock(FencedLock lock) {
        while (true) {
            try {
                lock.unlock();
            } catch (LeaseLostException lost) {
                continue; // once for each level
            } catch (IllegalMonitorStateException free) {
                return;
            }
        }
    }
}
