// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockSummary;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.LeavesNothingBehind;
import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A real server, a link to it that injects faults, clients behind that link ({@code far}) and beside it ({@code near}),
 * and the check that a test leaves nothing behind. Each test prints the figure that
 * docs/inside/measurements/promises.md quotes.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class RedisPromiseTest {
    static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

    static RedisServer redis;

    @RegisterExtension
    final LeavesNothingBehind nothing = new LeavesNothingBehind(() -> redis);

    final String name = "promise:" + UUID.randomUUID();
    FaultyLink link;

    @BeforeAll
    static void startServer() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        redis.close();
    }

    @BeforeEach
    void startLink() {
        link = nothing.closing(FaultyLink.to(redis));
    }

    LockClient far() {
        return far(ClientOptions.defaults(), COMMAND_TIMEOUT);
    }

    LockClient far(ClientOptions options, Duration commandTimeout) {
        return client(link.uri(), options, commandTimeout);
    }

    LockClient near() {
        return client(redis.uri(), ClientOptions.defaults(), COMMAND_TIMEOUT);
    }

    private LockClient client(String uri, ClientOptions options, Duration commandTimeout) {
        LockBackend backend = RedisBackend.connect(uri + "?timeout=" + commandTimeout.toMillis() + "ms");
        return nothing.closing(LockClient.create(backend, options));
    }

    /** Returns a lock of that client after it has been taken and released once, so that the scripts are loaded. */
    FencedLock warm(LockClient client) {
        FencedLock lock = client.lock(name);
        lock.lock();
        lock.unlock();
        return lock;
    }

    /** Injects a fault that is healed at the end of the test, if not before. */
    Fault inject(Fault fault) {
        nothing.closing(fault).inject();
        return fault;
    }

    <T> Task<T> start(Callable<T> body) {
        return Task.start("promise", body);
    }

    /** Starts a thread that waits for the lock, holds it for a moment, and returns when it got it. */
    Task<Long> visitor(FencedLock lock) {
        return start(() -> {
            lock.lock();
            long when = System.nanoTime();
            lock.unlock();
            return when;
        });
    }

    void awaitQueued(LockClient looker, int requests) {
        Await.until(
                requests + " requests in the queue of " + name,
                () -> looker.inspector().describe(name).queue().size() == requests);
    }

    boolean isFree(LockClient looker) {
        LockInfo seen = looker.inspector().describe(name);
        return seen.state() == LockSummary.State.FREE && seen.queue().isEmpty();
    }

    /** Waits until the server has neither an owner nor a request, and returns how long that took. */
    Duration awaitFree(LockClient looker, Duration bound) {
        long start = System.nanoTime();
        Await.within(bound, "no client holds or wants " + name, () -> isFree(looker));
        return since(start);
    }

    static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    /** Lets time pass in tests of durations. */
    static void pass(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Prints the figure and checks it against its bound. */
    static void measured(int row, String what, Duration figure, Duration bound) {
        System.out.println("promise " + row + ": " + what + " after " + figure.toMillis() + " ms");
        TimedTests.atMost(bound, figure, what);
    }
}
