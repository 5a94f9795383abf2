// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.history.HistoryWriter;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Slack;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;

/**
 * A client in a separate JVM, which executes commands and can be killed and frozen. Each command goes to one of its
 * threads, named freely by the test. Each thread executes its commands one after the other and answers. For one thread
 * of the test.
 */
final class RemoteClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The limit for {@code close()} of the remote client. */
    static final Duration SHUTDOWN = Duration.ofSeconds(1);

    /** JVM options for a faster start by less compilation. */
    private static final List<String> JVM_ARGS = List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private static final String LEAVE = "main leave";

    private final String name;
    private final ChildJvm jvm;
    private final HistoryWriter history;
    private final List<String> unread = new ArrayList<>();

    private RemoteClient(String name, ChildJvm jvm, HistoryWriter history) {
        this.name = name;
        this.jvm = jvm;
        this.history = history;
    }

    /**
     * Starts several JVMs at a time, because a start takes long.
     *
     * @param uri of their server
     * @param histories where they record the use of their locks
     * @param history where a kill is recorded
     * @param names of the processes there, one for each
     * @param environment variables of their JVMs
     */
    static List<RemoteClient> start(
            String uri, Path histories, HistoryWriter history, List<String> names, Map<String, String> environment) {
        List<RemoteClient> clients = new ArrayList<>();
        try {
            for (String name : names) {
                List<String> args = List.of(uri, histories.toString(), name);
                ChildJvm jvm = ChildJvm.start(RemoteClient.class, environment, JVM_ARGS, args);
                clients.add(new RemoteClient(name, jvm, history));
            }
            clients.forEach(client -> client.expect("main", "ready"));
            return clients;
        } catch (RuntimeException | Error e) {
            clients.forEach(RemoteClient::close);
            throw e;
        }
    }

    /** Sends a command to a thread. */
    void tell(String thread, String what) {
        jvm.send(thread + " " + what);
    }

    /** Sends a command to a thread and waits for its answer. */
    String ask(String thread, String what) {
        tell(thread, what);
        return answer(thread);
    }

    /** Returns the next answer of a thread, and waits for it. */
    String answer(String thread) {
        for (Iterator<String> lines = unread.iterator(); lines.hasNext(); ) {
            String line = lines.next();
            if (line.startsWith(thread + " ")) {
                lines.remove();
                return line.substring(thread.length() + 1);
            }
        }
        try {
            while (true) {
                String line = jvm.nextLine(PATIENCE);
                if (line == null) {
                    throw new AssertionError("Thread " + thread + " of the other JVM has not answered within "
                            + Slack.of(PATIENCE) + "; the JVM " + (jvm.isAlive() ? "lives" : "has ended") + "; unread: "
                            + unread);
                }
                if (line.startsWith(thread + " ")) {
                    return line.substring(thread.length() + 1);
                }
                unread.add(line);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the number in a thread's answer after a word. */
    long number(String thread, String word) {
        return numbers(thread, word).get(0);
    }

    /** Returns the numbers after a word in a thread's next answer. */
    List<Long> numbers(String thread, String word) {
        String answer = answer(thread);
        if (!answer.startsWith(word + " ")) {
            throw new AssertionError("Thread " + thread + " answered '" + answer + "' and not '" + word + " …'");
        }
        return Stream.of(answer.substring(word.length() + 1).split(" "))
                .map(Long::parseLong)
                .toList();
    }

    void expect(String thread, String expected) {
        String answer = answer(thread);
        if (!answer.equals(expected)) {
            throw new AssertionError("Thread " + thread + " answered '" + answer + "' and not '" + expected + "'");
        }
    }

    /** Lets the main thread return, without closing the client. */
    void leave() {
        jvm.send(LEAVE);
    }

    void kill() {
        jvm.kill();
        history.killed(name);
    }

    void freeze() {
        jvm.freeze();
    }

    void thaw() {
        jvm.thaw();
    }

    int awaitExit(Duration patience) {
        return jvm.awaitExit(patience);
    }

    @Override
    public void close() {
        jvm.close();
    }

    // ================================================================ the other JVM

    /** Keeps the logger, because an unreferenced one loses its handler. */
    private static final Logger LOG = Logger.getLogger("io.boltwork");

    private static final class There {
        private final String uri;
        private final HistoryWriter history;
        private final LockClient shared;
        private final Map<String, LockClient> own = new ConcurrentHashMap<>();
        private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();

        There(String uri, HistoryWriter history) {
            this.uri = uri;
            this.history = history;
            this.shared = open();
        }

        private LockClient open() {
            return LockClient.create(
                    RedisBackend.connect(uri), ClientOptions.defaults().withShutdownTime(SHUTDOWN));
        }

        void told(String line) {
            String[] words = line.split(" ");
            String thread = words[0];
            String[] args = Arrays.copyOfRange(words, 2, words.length);
            threads.computeIfAbsent(thread, There::newThread).execute(() -> {
                try {
                    say(thread, act(thread, words[1], args));
                } catch (Exception e) {
                    say(thread, e.getClass().getSimpleName());
                }
            });
        }

        private static ExecutorService newThread(String name) {
            return Executors.newSingleThreadExecutor(body -> {
                Thread thread = new Thread(body, name);
                thread.setDaemon(true);
                return thread;
            });
        }

        private String act(String thread, String what, String[] args) throws Exception {
            switch (what) {
                case "own" -> { // a client for this thread only
                    own.put(thread, open());
                    return "opened";
                }
                case "lock" -> {
                    FencedLock lock = lock(thread, args);
                    lock.lock();
                    Lease lease = lock.currentLease().orElseThrow();
                    lease.whenLost().thenAccept(loss -> say(thread + "-loss", "told " + loss.reason()));
                    return "locked " + lease.fencingToken();
                }
                case "visit" -> {
                    try (Lease lease = lock(thread, args).acquire()) {
                        return "visited " + lease.fencingToken();
                    }
                }
                case "unlock" -> {
                    lock(thread, args).unlock();
                    return "unlocked";
                }
                case "valid" -> {
                    return String.valueOf(lock(thread, args).isHeldByCurrentThread());
                }
                case "try" -> {
                    long start = System.nanoTime();
                    boolean got = lock(thread, args).tryLock(Long.parseLong(args[2]), TimeUnit.MILLISECONDS);
                    return got + " " + (System.nanoTime() - start) / 1_000_000;
                }
                case "life" -> {
                    FencedLock lock = unrecorded(thread, args);
                    lock.lock();
                    String life = life(lock.currentLease().orElseThrow());
                    try {
                        lock.unlock();
                        return "unlocked";
                    } catch (LeaseLostException e) {
                        return life;
                    }
                }
                case "watch" -> {
                    return watch(unrecorded(thread, args)); // checks the lease too often
                }
                case "clock" -> {
                    return "clock " + System.currentTimeMillis();
                }
                case "close" -> {
                    return closing();
                }
                case "hook" -> {
                    Runtime.getRuntime().addShutdownHook(new Thread(() -> say("hook", closing())));
                    return "hooked";
                }
                case "exit" -> {
                    new Thread(() -> System.exit(7)).start();
                    return "exiting";
                }
                default -> throw new IllegalArgumentException(what);
            }
        }

        private String closing() {
            long start = System.nanoTime();
            shared.close();
            return "closed " + (System.nanoTime() - start) / 1_000_000;
        }

        private FencedLock lock(String thread, String[] args) {
            return history.recorded(unrecorded(thread, args));
        }

        private FencedLock unrecorded(String thread, String[] args) {
            LockOptions options = args.length < 2 ? LockOptions.defaults() : options(args[1]);
            return own.getOrDefault(thread, shared).lock(args[0], options);
        }

        /**
         * Checks a lease until it is lost. Reports how long it lasted, for how long of that it was neither valid nor
         * lost, both in ms, and when it was last valid, in ns.
         */
        private static String life(Lease lease) throws InterruptedException {
            long start = System.nanoTime();
            CompletableFuture<?> loss = lease.whenLost().toCompletableFuture();
            long unsure = 0;
            long lastValid = start;
            boolean lost = false;
            for (long before = start; !lost; Thread.sleep(1)) {
                lost = loss.isDone();
                long now = System.nanoTime();
                if (!lease.isValid()) {
                    unsure += now - before;
                } else if (lost) {
                    throw new IllegalStateException("valid after it was lost");
                } else {
                    lastValid = now;
                }
                before = now;
            }
            long life = System.nanoTime() - start;
            return "lost " + life / 1_000_000 + " " + unsure / 1_000_000 + " " + lastValid;
        }

        /**
         * Checks a lease without a pause until the whole JVM has stood still for a second, and reports the result of
         * the first check that began afterwards.
         */
        private static String watch(FencedLock lock) {
            Lease lease = lock.currentLease().orElseThrow();
            say("watch", "begun");
            long before = System.nanoTime();
            while (true) {
                long now = System.nanoTime();
                boolean valid = lease.isValid();
                if (now - before > 1_000_000_000) {
                    boolean held = lock.isHeldByCurrentThread();
                    return "after " + (now - before) / 1_000_000 + " ms: valid " + valid + ", held " + held;
                }
                // not the time after the check: a check that was under way when the JVM was stopped is not the first
                // one afterwards
                before = now;
            }
        }
    }

    /** Parses options such as {@code renewed:1000,fifo,takeover:500}. */
    private static LockOptions options(String text) {
        LockOptions options = LockOptions.defaults();
        for (String part : text.split(",")) {
            String[] pair = part.split(":");
            Duration time = pair.length > 1 ? Duration.ofMillis(Long.parseLong(pair[1])) : Duration.ZERO;
            options = switch (pair[0]) {
                case "renewed" -> LockOptions.renewedLease(time);
                case "fixed" -> LockOptions.fixedLease(time);
                case "fifo" -> options.withFairness(LockOptions.Fairness.FIFO);
                case "batched" -> options.withFairness(LockOptions.Fairness.BATCHED);
                case "takeover" -> options.withTakeoverDelay(time);
                case "min" -> options.withMinHold(time);
                case "max" -> options.withMaxHold(time);
                default -> throw new IllegalArgumentException(text);
            };
        }
        return options;
    }

    private static void say(String thread, String what) {
        System.out.println(thread + " " + what);
    }

    public static void main(String[] args) throws IOException {
        LOG.addHandler(new LogToParent());
        There there = new There(args[0], HistoryWriter.open(Path.of(args[1]), args[2]));
        say("main", "ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals(LEAVE); line = in.readLine()) {
            there.told(line);
        }
    }

    private static final class LogToParent extends Handler {
        @Override
        public void publish(LogRecord entry) {
            say(
                    "log",
                    new SimpleFormatter()
                            .formatMessage(entry)
                            .lines()
                            .findFirst()
                            .orElse(""));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
