// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.LeavesNothingBehind;
import io.boltwork.testkit.history.History;
import io.boltwork.testkit.history.HistoryChecker;
import io.boltwork.testkit.history.HistoryWriter;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The server, clients and JVMs of one promise of docs/inside/guarantees.md, and the check that nothing of it is left.
 * Each test prints the figure that docs/inside/measurements/promises.md quotes.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class Promises {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @AutoClose
    final RedisServer server = RedisServer.start();

    @RegisterExtension
    final LeavesNothingBehind nothing = new LeavesNothingBehind(() -> server);

    /** The directory in which all JVMs of the test record the use of their locks, checked at the end. */
    @TempDir
    Path histories;

    /** The history of this JVM. */
    HistoryWriter history;

    private final AtomicInteger threads = new AtomicInteger();
    private final AtomicInteger remotes = new AtomicInteger();

    @BeforeEach
    final void begin() {
        history = nothing.closing(HistoryWriter.open(histories, "test"));
        nothing.closing(
                () -> HistoryChecker.check(History.read(histories)).orThrow()); // when everything after it is closed
        warmUp();
    }

    /** Warms up, so that the measurements do not include class loading. */
    private void warmUp() {
        try (LockClient our = newClient();
                LockClient their = newClient()) {
            FencedLock ours = our.lock("warm");
            FencedLock theirs = their.lock("warm");
            for (int i = 0; i < 10; i++) {
                ours.lock();
                CompletableFuture<Arrival> waiter = visitor(theirs);
                ours.unlock();
                get(waiter);
            }
        }
    }

    /** Thaws frozen processes, so that the check that nothing is left gets answers. */
    @AfterEach
    final void thaw() {
        Thread.interrupted();
        server.thaw();
    }

    final LockClient client() {
        return nothing.closing(newClient());
    }

    private LockClient newClient() {
        return LockClient.create(
                RedisBackend.connect(server.uri()), ClientOptions.defaults().withShutdownTime(Duration.ofSeconds(2)));
    }

    final RemoteClient remote() {
        return remotes(1).get(0);
    }

    final List<RemoteClient> remotes(int number) {
        return remotes(number, Map.of());
    }

    final RemoteClient remote(Map<String, String> environment) {
        return remotes(1, environment).get(0);
    }

    private List<RemoteClient> remotes(int number, Map<String, String> environment) {
        List<String> names = Stream.generate(() -> "remote-" + remotes.incrementAndGet())
                .limit(number)
                .toList();
        return RemoteClient.start(server.uri(), histories, history, names, environment).stream()
                .map(nothing::closing)
                .toList();
    }

    /** The arrival of a waiter: its token, and the time by two clocks. */
    record Arrival(long token, long nanos, long wallMillis) {
        static Arrival now(long token) {
            return new Arrival(token, System.nanoTime(), System.currentTimeMillis());
        }
    }

    /** Starts a thread that waits for the lock, holds it for a moment, and returns when it got it. */
    final CompletableFuture<Arrival> visitor(FencedLock lock) {
        return thread(() -> visit(lock));
    }

    final Arrival visit(FencedLock lock) {
        try (Lease lease = history.recorded(lock).acquire()) {
            return Arrival.now(lease.fencingToken());
        }
    }

    final <T> CompletableFuture<T> thread(Callable<T> body) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(body.call());
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                },
                "promise-" + threads.incrementAndGet());
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    static <T> T get(CompletableFuture<T> result) {
        try {
            return result.get(Slack.of(PATIENCE).toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("A thread failed", e.getCause());
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("A thread has not ended", e);
        }
    }

    static LockOptions fifo(LockOptions options) {
        return options.withFairness(LockOptions.Fairness.FIFO);
    }

    /** Returns a duration of a promise, longer on slow machines. */
    static Duration millis(long millis) {
        return Duration.ofMillis(Slack.of(Duration.ofMillis(millis)).toMillis());
    }

    static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    static double ms(Duration time) {
        return time.toNanos() / 1e6;
    }

    /** Checks a measured time against the bound of a promise. */
    static void atMost(long millis, Duration measured, String what) {
        TimedTests.atMost(Duration.ofMillis(millis), measured, what);
    }

    static void report(int promise, String format, Object... args) {
        System.out.println("promise " + promise + ": " + String.format(Locale.ROOT, format, args));
    }

    // ================================================================ what the server knows

    static String key(String lock) {
        return "boltwork:{" + lock + "}";
    }

    final String field(String lock, String field) {
        return Objects.toString(server.command("HGET", key(lock), field), "");
    }

    /** Returns when the lease ends at the server, its takeover delay included. */
    final long until(String lock) {
        return Long.parseLong(field(lock, "until"));
    }

    final long queued(String lock) {
        return fields(lock).stream().filter(field -> field.startsWith("r")).count();
    }

    final void awaitQueued(String lock, long requests) {
        Await.until(requests + " requests wait for " + lock, () -> queued(lock) == requests);
    }

    private List<String> fields(String lock) {
        return strings("HKEYS", key(lock));
    }

    private List<String> strings(String... command) {
        return ((List<?>) Objects.requireNonNull(server.command(command)))
                .stream().map(Objects::toString).toList();
    }

    /** Checks that the lock has no owner and no waiters. */
    final boolean isFree(String lock) {
        boolean held = !field(lock, "owner").isEmpty() && until(lock) > System.currentTimeMillis();
        return !held && queued(lock) == 0;
    }

    /** Counts the connections, this one included. */
    final long connections() {
        return Objects.toString(server.command("CLIENT", "LIST")).lines().count();
    }
}
