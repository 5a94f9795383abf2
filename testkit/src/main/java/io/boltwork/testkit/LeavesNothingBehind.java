// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit extension that fails a test that leaves something behind, at the server or in this JVM: a held or wanted
 * lock, a subscription, a connection, a thread, a process. Before the check, it closes the resources that the test has
 * passed to {@link #closing}, in reverse order.
 *
 * <pre>{@code
 * private static final RedisServer REDIS = RedisServer.start();
 *
 * final @RegisterExtension LeavesNothingBehind nothing = new LeavesNothingBehind(() -> REDIS);
 *
 * void whenTheServerIsGone() {
 *     FaultyLink link = nothing.closing(FaultyLink.to(REDIS));
 *     LockClient locks = nothing.closing(LockClient.create(RedisBackend.connect(link.uri())));
 *     nothing.closing(link.unreachable()).inject();
 *     ...
 * }
 * }</pre>
 *
 * <p>The server must be running and answering when a test has ended and its faults are healed. After the check, the
 * server is flushed. This extension is for tests that have the server to themselves.
 *
 * @since 0.1.0
 */
public final class LeavesNothingBehind implements BeforeEachCallback, AfterEachCallback {

    /*
     * Threads of the JDK and of Netty that stay alive for a while when idle, and those of the test framework. All other
     * threads, including Lettuce's, must end.
     */
    private static final Pattern LINGERING = Pattern.compile("process reaper.*|ForkJoinPool.*|CompletableFutureDelay.*"
            + "|Common-Cleaner|Cleaner-\\d+|globalEventExecutor.*|junit-.*|surefire.*|Attach"
            + " Listener|Java2D.*|Keep-Alive.*");

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Supplier<RedisServer> server;
    private final Duration patience;
    private final Deque<AutoCloseable> resources = new ConcurrentLinkedDeque<>();
    private final Set<Thread> threadsBefore = ConcurrentHashMap.newKeySet();
    private final Set<Long> processesBefore = ConcurrentHashMap.newKeySet();

    /**
     * Creates an extension that checks a server.
     *
     * @param server supplies the server; called at the end of each test
     */
    public LeavesNothingBehind(Supplier<RedisServer> server) {
        this(server, PATIENCE);
    }

    /** Creates an extension with a given patience for things that end by themselves. */
    LeavesNothingBehind(Supplier<RedisServer> server, Duration patience) {
        this.server = server;
        this.patience = patience;
    }

    /**
     * Registers a resource to close at the end of the test, before all resources that were registered earlier.
     *
     * @param resource the resource
     * @param <T> its type
     * @return the resource
     */
    public <T extends AutoCloseable> T closing(T resource) {
        resources.push(resource);
        return resource;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        threadsBefore.addAll(Thread.getAllStackTraces().keySet());
        ProcessHandle.current().children().map(ProcessHandle::pid).forEach(processesBefore::add);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        List<Throwable> failures = new ArrayList<>();
        for (AutoCloseable resource; (resource = resources.poll()) != null; ) {
            try {
                resource.close();
            } catch (Exception | AssertionError e) {
                failures.add(e);
            }
        }
        RedisServer redis = server.get();
        gone(failures, "locks that are held or waited for", () -> locks(redis));
        gone(failures, "subscriptions", () -> strings(redis.command("PUBSUB", "CHANNELS", "*:grants:*")));
        gone(failures, "subscriptions of holders", () -> strings(redis.command("PUBSUB", "CHANNELS", "*:told:*")));
        gone(failures, "connections", () -> connections(redis));
        gone(failures, "processes", () -> processes(redis));
        gone(failures, "threads", this::threads);
        redis.command("FLUSHALL");
        threadsBefore.clear();
        processesBefore.clear();
        if (!failures.isEmpty()) {
            AssertionError all = new AssertionError("The test left something behind: "
                    + failures.stream().map(Throwable::getMessage).collect(Collectors.joining("; ")));
            failures.forEach(all::addSuppressed);
            throw all;
        }
    }

    private void gone(List<Throwable> failures, String what, Supplier<Collection<String>> left) {
        try {
            Await.within(patience, "no " + what + " are left", () -> left.get().isEmpty());
        } catch (AssertionError e) {
            failures.add(new AssertionError(what + ": " + left.get(), e));
        } catch (RuntimeException e) {
            failures.add(new AssertionError("Could not ask the server for " + what, e));
        }
    }

    /** Returns the locks that have an owner whose lease has not ended, or a queue. */
    private static List<String> locks(RedisServer redis) {
        List<String> left = new ArrayList<>();
        for (String key : strings(redis.command("KEYS", "*:{*}"))) {
            if (!"hash".equals(redis.command("TYPE", key))) {
                continue; // such as the token that a guard remembers
            }
            List<String> fields = strings(redis.command("HGETALL", key));
            String owner = "";
            long until = 0;
            boolean queue = false;
            for (int i = 0; i < fields.size(); i += 2) {
                String name = fields.get(i);
                owner = name.equals("owner") ? fields.get(i + 1) : owner;
                until = name.equals("until") ? Long.parseLong(fields.get(i + 1)) : until;
                queue |= name.startsWith("r");
            }
            if (queue || (!owner.isEmpty() && until > now(redis))) {
                left.add(key + " " + fields);
            }
        }
        return left;
    }

    private static long now(RedisServer redis) {
        List<String> time = strings(redis.command("TIME"));
        return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
    }

    /** Returns all connections except the one that asks. */
    private static List<String> connections(RedisServer redis) {
        return String.valueOf(redis.command("CLIENT", "LIST"))
                .lines()
                .filter(line -> !line.contains("cmd=client"))
                .toList();
    }

    private List<String> processes(RedisServer redis) {
        Set<Long> own = redis.processes();
        return ProcessHandle.current()
                .children()
                .filter(ProcessHandle::isAlive)
                .filter(process -> !processesBefore.contains(process.pid()) && !own.contains(process.pid()))
                .map(process ->
                        process.pid() + " " + process.info().commandLine().orElse("?"))
                .toList();
    }

    private List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && !threadsBefore.contains(thread))
                .map(Thread::getName)
                .filter(name -> !LINGERING.matcher(name).matches())
                .collect(Collectors.toList());
    }

    private static List<String> strings(@Nullable Object answer) {
        return ((List<?>) Objects.requireNonNull(answer))
                .stream().map(String::valueOf).toList();
    }
}
