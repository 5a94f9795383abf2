// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.redis.wire.Slots;
import io.boltwork.testkit.history.Event;
import io.boltwork.testkit.history.History;
import io.boltwork.testkit.history.HistoryChecker;
import io.boltwork.testkit.history.HistoryChecker.Rule;
import io.boltwork.testkit.history.HistoryChecker.Verdict;
import io.boltwork.testkit.history.HistoryWriter;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * A real cluster, several JVMs that take locks of all its masters in turns ({@link ClusterJvm}), and the checks at the
 * end.
 */
final class ClusterTurns implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(60);
    private static final int JVMS = 3;
    private static final int PHILOSOPHERS = 3;

    /** The kinds of the locks at each master. */
    static final List<LockKind> PLAIN = List.of(LockKind.LOCK, LockKind.LOCK);

    static final List<LockKind> SHARED = List.of(LockKind.LOCK, LockKind.READ_WRITE, LockKind.SEMAPHORE);

    final ClusterGroup group;
    final List<String> locks;
    private final Path directory;
    private final Duration lease;
    private final HistoryWriter history;
    private final List<ChildJvm> jvms = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private int started;

    /** Starts the JVMs on the cluster, which is closed with this. When this returns, the JVMs take turns. */
    ClusterTurns(ClusterGroup group, Path directory, Duration lease) throws InterruptedException {
        this(group, directory, lease, PLAIN);
    }

    ClusterTurns(ClusterGroup group, Path directory, Duration lease, List<LockKind> kinds) throws InterruptedException {
        this(group, lease, directory, names(group, kinds));
    }

    private ClusterTurns(ClusterGroup group, Duration lease, Path directory, List<String> locks)
            throws InterruptedException {
        this.group = group;
        this.directory = directory;
        this.lease = lease;
        this.history = HistoryWriter.open(directory, "test");
        this.locks = locks;
        List<ChildJvm> all = new ArrayList<>();
        for (int i = 0; i < JVMS; i++) {
            all.add(begin());
        }
        for (ChildJvm jvm : all) {
            assertThat(jvm.nextLine(START)).isEqualTo("ready");
        }
        awaitTurns(20);
    }

    /** Starts JVMs that all play all the dining philosophers: each turn is with two of the locks together. */
    static ClusterTurns ofPhilosophers(ClusterGroup group, Path directory, Duration lease) throws InterruptedException {
        return new ClusterTurns(
                group,
                lease,
                directory,
                IntStream.range(0, PHILOSOPHERS)
                        .mapToObj(philosopher -> RecordedTurns.forks(philosopher, PHILOSOPHERS))
                        .toList());
    }

    /** Returns names of locks of these kinds at each master. */
    private static List<String> names(ClusterGroup group, List<LockKind> kinds) {
        List<String> names = new ArrayList<>();
        for (RedisServer master : group.masters()) {
            for (int found = 0, i = 0; found < kinds.size(); i++) {
                String name = RecordedTurns.name(kinds.get(found), "turns:" + master.port() + ":" + i);
                if (group.masterOf(slot(name)) == master) {
                    names.add(name);
                    found++;
                }
            }
        }
        return names;
    }

    /** Returns the slot of a lock; that of the first one if there are two. */
    static int slot(String lock) {
        return Slots.of("boltwork:{" + RecordedTurns.first(lock) + "}");
    }

    private ChildJvm begin() {
        String name = "jvm-" + ++started;
        ChildJvm jvm = ChildJvm.start(
                ClusterJvm.class,
                List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                List.of(
                        String.join(" ", group.uris()),
                        directory.toString(),
                        name,
                        String.join(" ", locks),
                        Long.toString(lease.toMillis())));
        names.add(name);
        jvms.add(jvm);
        return jvm;
    }

    /** Starts one more JVM. */
    void launch() throws InterruptedException {
        assertThat(begin().nextLine(START)).isEqualTo("ready");
    }

    /** Returns the numbers of the locks whose slots a master has. */
    List<Integer> locksOf(RedisServer master) {
        return numbers(lock -> group.masterOf(slot(locks.get(lock))) == master);
    }

    List<Integer> numbers(IntPredicate those) {
        return IntStream.range(0, locks.size()).filter(those).boxed().toList();
    }

    ChildJvm jvm(int number) {
        return jvms.get(number);
    }

    /** Kills a JVM (SIGKILL) and records that in the history. */
    void kill(int number) {
        jvms.remove(number).close();
        history.killed(names.remove(number));
    }

    // ================================================================ turns

    /** Waits until each JVM has had this many more turns with each lock. */
    void awaitTurns(int more) {
        TurnTakers.await(jvms, numbers(lock -> true), more);
    }

    /** Waits until each JVM has had this many more turns with each of these locks. */
    void awaitTurns(List<Integer> which, int more) {
        TurnTakers.await(jvms, which, more);
    }

    /** Waits until all JVMs but one, which may be frozen, have had this many more turns with each lock. */
    void awaitTurnsWithout(int number, int more) {
        List<ChildJvm> others = new ArrayList<>(jvms);
        others.remove(number);
        TurnTakers.await(others, numbers(lock -> true), more);
    }

    private int[] sums() {
        int[] sums = new int[locks.size()];
        for (ChildJvm jvm : jvms) {
            int[] turns = TurnTakers.turns(jvm);
            Arrays.setAll(sums, lock -> sums[lock] + turns[lock]);
        }
        return sums;
    }

    /** Waits until some JVM has had a turn with each of these locks. Returns how long after {@code since} that was. */
    Duration usable(List<Integer> which, long since, Duration promise) {
        int[] before = sums();
        Await.until("locks " + which + " are usable", () -> {
            int[] now = sums();
            return which.stream().allMatch(lock -> now[lock] > before[lock]);
        });
        Duration took = Duration.ofNanos(System.nanoTime() - since);
        System.out.println("cluster: locks " + which + " are usable " + took.toMillis() + " ms after");
        assertThat(took).isLessThan(Slack.of(promise));
        return took;
    }

    // ================================================================ the end

    /**
     * Checks that nothing went wrong except that two may have held at once because the last writes were lost, and that
     * no call waited longer than {@code longestWait}.
     */
    void check(String what, Duration longestWait) throws InterruptedException {
        Verdict verdict = ended(what, longestWait);
        assertThat(verdict.violations()).allMatch(violation -> violation.rule() == Rule.EXCLUSION);
        assertThat(verdict.violations()).hasSizeLessThanOrEqualTo(2);
    }

    /** Checks that nothing was lost or went wrong, and that no call waited longer than {@code longestWait}. */
    void checkStrictly(String what, Duration longestWait) throws InterruptedException {
        ended(what, longestWait).orThrow();
    }

    private Verdict ended(String what, Duration longestWait) throws InterruptedException {
        awaitTurns(20);
        jvms.forEach(jvm -> jvm.send("stop"));
        long[] sums = new long[3];
        for (ChildJvm jvm : jvms) {
            long[] counts = Arrays.stream(
                            Objects.requireNonNull(jvm.nextLine(START)).split(" "))
                    .mapToLong(Long::parseLong)
                    .toArray();
            Arrays.setAll(sums, i -> sums[i] + counts[i]);
            assertThat(jvm.awaitExit(START)).isZero();
        }
        History all = History.read(directory);
        Verdict verdict = HistoryChecker.checkEnded(all);
        Waits waits = Waits.of(all);
        System.out.println("cluster: " + what + ": turns, told of a loss, errors: " + Arrays.toString(sums) + "; "
                + waits + "; two at once: " + verdict.violations().size() + "; " + verdict);
        assertThat(waits.longest()).isLessThan(Slack.of(longestWait));
        return verdict;
    }

    /**
     * The waits of callers.
     *
     * @param longest the longest wait until a caller had the lock or was refused
     * @param pause the longest time between two turns with one lock
     */
    private record Waits(Duration longest, Duration pause) {
        static Waits of(History history) {
            Map<String, Long> invoked = new HashMap<>();
            Map<String, Long> granted = new HashMap<>();
            long longest = 0;
            long pause = 0;
            for (Event event : history.events()) {
                if (event.action() != Event.Action.ACQUIRE) {
                    continue;
                }
                String thread = event.process() + event.thread();
                Long before = invoked.remove(thread);
                if (event.type() == Event.Type.INVOKE) {
                    invoked.put(thread, event.nanos());
                } else if (before != null) {
                    longest = Math.max(longest, event.nanos() - before);
                }
                Long last = event.type() == Event.Type.OK ? granted.put(event.lock(), event.nanos()) : null;
                pause = last == null ? pause : Math.max(pause, event.nanos() - last);
            }
            return new Waits(Duration.ofNanos(longest), Duration.ofNanos(pause));
        }

        @Override
        public String toString() {
            return "longest wait " + longest.toMillis() + " ms, longest pause of a lock " + pause.toMillis() + " ms";
        }
    }

    @Override
    public void close() {
        jvms.forEach(ChildJvm::close);
        history.close();
        group.close();
    }
}
