// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.history.History;
import io.boltwork.testkit.history.HistoryChecker;
import io.boltwork.testkit.history.HistoryChecker.Rule;
import io.boltwork.testkit.history.HistoryChecker.Verdict;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.testkit.wait.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several JVMs take a lock in turns while another server becomes the master. Redis replicates after it has answered,
 * so at that moment two clients may believe that they hold the lock. These cases are counted and printed. Nothing else
 * may happen: tokens distinguish the holds and grow, a holder that was told of a loss does not hold afterwards, every
 * call is answered, and the turns go on.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class FailoverHistoriesTest {
    private static final Duration START = Duration.ofSeconds(60);
    static final String PROOF = "boltwork.proof";
    static final int JVMS = 2;

    @TempDir
    Path directory;

    private final List<ChildJvm> jvms = new ArrayList<>();

    /** Returns the names of the locks, which tell their {@linkplain RecordedTurns kinds}. */
    List<String> locks() {
        return List.of("failover");
    }

    /** Returns the names with which a JVM takes turns. */
    List<String> locks(int jvm) {
        return locks();
    }

    /** Returns the number of threads of a JVM for each name. */
    int threads() {
        return 2;
    }

    /** Returns how many overlaps one lost moment can cause at most. */
    int mostOverlaps() {
        return 2;
    }

    private void start(String where) throws InterruptedException {
        start(where, 0);
    }

    private void start(String where, int replicas) throws InterruptedException {
        for (int i = 0; i < JVMS; i++) {
            jvms.add(ChildJvm.start(
                    FailoverJvm.class,
                    List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"), // for a faster start
                    List.of(
                            where,
                            directory.toString(),
                            "jvm-" + i,
                            Integer.toString(threads()),
                            Integer.toString(replicas),
                            String.join(" ", locks(i)))));
        }
        for (ChildJvm jvm : jvms) {
            assertThat(jvm.nextLine(START)).isEqualTo("ready");
        }
        awaitTurns(100);
    }

    /** Waits until each JVM has had this many more turns. */
    private void awaitTurns(int more) throws InterruptedException {
        for (ChildJvm jvm : jvms) {
            int before = turns(jvm);
            Await.until("the turns go on", () -> turns(jvm) >= before + more);
        }
    }

    private static int turns(ChildJvm jvm) {
        return count(jvm, "turns");
    }

    private static int count(ChildJvm jvm, String what) {
        jvm.send(what);
        try {
            return Integer.parseInt(Objects.requireNonNull(jvm.nextLine(START)));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Checks that nothing went wrong except that two may have held at once because the last writes were lost. */
    private void check(String what) throws InterruptedException {
        Verdict verdict = ended(what);
        assertThat(verdict.violations()).allMatch(violation -> violation.rule() == Rule.EXCLUSION);
        assertThat(verdict.violations()).hasSizeLessThanOrEqualTo(mostOverlaps());
    }

    private Verdict ended(String what) throws InterruptedException {
        awaitTurns(100);
        jvms.forEach(jvm -> jvm.send("stop"));
        long[] sums = new long[4];
        for (ChildJvm jvm : jvms) {
            String[] counts = Objects.requireNonNull(jvm.nextLine(START)).split(" ");
            for (int i = 0; i < counts.length; i++) {
                long count = Long.parseLong(counts[i]);
                sums[i] = i == 3 ? Math.max(sums[i], count) : sums[i] + count;
            }
            assertThat(jvm.awaitExit(START)).isZero();
        }
        Verdict verdict = HistoryChecker.checkEnded(History.read(directory));
        System.out.println(what + ": turns, told of a loss, errors, longest pause in ms: " + Arrays.toString(sums)
                + "; two at once: " + verdict.violations().size() + "; " + verdict);
        return verdict;
    }

    private void end() {
        jvms.forEach(ChildJvm::close);
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void theMasterIsKilledAndSentinelsPromoteAReplica() throws Exception {
        try (SentinelGroup group = SentinelGroup.start()) {
            start(group.uri());
            RedisServer old = group.data().servers().get(0);
            long start = System.nanoTime();
            old.kill();
            group.awaitOther(old);
            long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
            check("master killed, sentinels (failover took " + millis + " ms)");
        } finally {
            end();
        }
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void theMasterIsFrozenUntilSentinelsReplaceItAndComesBack() throws Exception {
        try (SentinelGroup group = SentinelGroup.start()) {
            start(group.uri());
            RedisServer old = group.data().servers().get(0);
            old.freeze();
            group.awaitOther(old);
            old.thaw();
            awaitTurns(200);
            Await.until("the old one is a replica", () -> "slave".equals(ReplicaGroup.field(old, "role")));
            check("master frozen and back, sentinels");
        } finally {
            end();
        }
    }

    /**
     * Tests a freeze of a whole host: the master's messages after the freeze arrive before the client checks its
     * clock.
     */
    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void theMasterAndAClientAreFrozenTogetherAndResume() throws Exception {
        try (SentinelGroup group = SentinelGroup.start()) {
            start(group.uri());
            RedisServer old = group.data().servers().get(0);
            jvms.get(0).freeze();
            old.freeze();
            group.awaitOther(old);
            old.thaw();
            jvms.get(0).thaw();
            awaitTurns(200);
            Await.until("the old one is a replica", () -> "slave".equals(ReplicaGroup.field(old, "role")));
            check("master and client frozen and back, sentinels");
        } finally {
            end();
        }
    }

    @Test
    void aReplicaIsPromotedByHandRepeatedly() throws Exception {
        try (ReplicaGroup group = ReplicaGroup.start(2)) {
            start(String.join(" ", group.uris()));
            RedisServer master = group.servers().get(0);
            for (RedisServer next :
                    List.of(group.servers().get(1), group.servers().get(2), master)) {
                group.replace(master, next);
                awaitTurns(50);
                for (RedisServer other : group.servers()) {
                    if (other != next) {
                        group.follow(other, next);
                    }
                }
                master = next;
                awaitTurns(50);
            }
            check("promoted by hand three times, replicated");
        } finally {
            end();
        }
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void aLaggingReplicaIsPromoted() throws Exception {
        try (LaggingReplica group = new LaggingReplica()) {
            start(group.uris());
            group.fallBehind();
            awaitTurns(100);
            group.promote();
            check("the last hundreds of writes lost");
        } finally {
            end();
        }
    }

    @Test
    void aLaggingReplicaIsPromotedWhenOneReplicaMustConfirmGrants() throws Exception {
        try (LaggingReplica group = new LaggingReplica()) {
            start(group.uris(), 1);
            group.fallBehind();
            for (ChildJvm jvm : jvms) {
                Await.until("it is refused", () -> count(jvm, "errors") > 0);
            }
            group.promote();
            RedisServer late = group.follow();
            try (late) {
                assertThat(ended("atLeast(1), the replica has fallen behind").violations())
                        .isEmpty();
            }
        } finally {
            end();
        }
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void aSentinelDisagreesBecauseItSleptThroughTheFailover() throws Exception {
        try (SentinelGroup group = SentinelGroup.start()) {
            start(group.uri());
            RedisServer old = group.data().servers().get(0);
            RedisServer asleep = group.sentinels().get(0);
            asleep.freeze();
            old.kill();
            Await.within(
                    Duration.ofMinutes(1),
                    "a replica is promoted",
                    () -> group.data().servers().stream()
                            .skip(1)
                            .anyMatch(server -> "master".equals(ReplicaGroup.field(server, "role"))));
            awaitTurns(100);
            asleep.thaw(); // at first it names the old master
            check("one sentinel slept through it");
        } finally {
            end();
        }
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void sentinelsFreezeAndResumeBeforeTheMasterIsKilled() throws Exception {
        try (SentinelGroup group = SentinelGroup.start()) {
            start(group.uri());
            RedisServer old = group.data().servers().get(0);
            group.sentinels().forEach(RedisServer::freeze);
            awaitTurns(200); // the clients do not need the sentinels while the master lives
            group.sentinels().forEach(RedisServer::thaw);
            old.kill();
            group.awaitOther(old);
            check("sentinels gone and back, master killed");
        } finally {
            end();
        }
    }
}
