// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.DistributedLatch;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Threads of several JVMs wait for the generations of a latch while another server becomes the master. No thread passes
 * before the last count was sent. Each thread passes, or gets a {@link BackendException}.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class LatchFailoverTest {
    private static final Duration START = Duration.ofSeconds(60);

    /** Longer than the outage patience and the time after which a count is forgotten. */
    private static final Duration ENDED = Duration.ofSeconds(90);

    private static final String LATCH = "failover";
    private static final int JVMS = 3;
    private static final int THREADS = 4;
    private static final int COUNT = 6;

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final List<ChildJvm> jvms = new ArrayList<>();

    /** The ends of the waits in this generation: lines of the JVMs. */
    private final List<String> ends = new ArrayList<>();

    private int participants;
    private int generations;
    private int sent;
    private int counted;

    /** A part of a fault, between two counts. */
    private interface Step {
        void run() throws Exception;
    }

    private static final Step NOTHING = () -> {};

    private <T extends AutoCloseable> T closing(T resource) {
        resources.push(resource);
        return resource;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable resource : resources) {
            resource.close();
        }
    }

    private DistributedLatch start(String where) throws InterruptedException {
        LockClient client = closing(LockClient.create(FailoverJvm.connect(where)));
        for (int i = 0; i < JVMS; i++) {
            jvms.add(closing(ChildJvm.start(
                    LatchJvm.class,
                    List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                    List.of(where, LATCH, Integer.toString(THREADS)))));
        }
        for (ChildJvm jvm : jvms) {
            assertThat(jvm.nextLine(START)).isEqualTo("ready");
        }
        return client.latch(LATCH);
    }

    /** Sets the count, lets all threads wait for it, and counts it down with faults in between. */
    private void generation(DistributedLatch latch, Step waiting, Step halfway, Step beforeLast) throws Exception {
        generations++;
        Await.until("the count is set", () -> latch.trySetCount(COUNT));
        await();
        waiting.run();
        count(COUNT / 2);
        halfway.run();
        count(COUNT - COUNT / 2 - 1);
        beforeLast.run();
        long last = System.nanoTime();
        count(1);
        awaitEnds();
        assertThat(ends)
                .allMatch(end -> Long.parseLong(end.split(" ")[1]) > last, "ended after the last count was sent");
    }

    private void await() {
        ends.clear();
        jvms.forEach(jvm -> jvm.send("await"));
        for (ChildJvm jvm : jvms) {
            assertThat(line(jvm)).isEqualTo("waiting");
        }
    }

    private void count(int many) {
        for (int i = 0; i < many; i++) {
            int next = ++participants;
            jvms.get(next % JVMS).send("count participant-" + next);
        }
        sent += many;
    }

    /** Reads what the JVMs have printed. */
    private void read() {
        for (ChildJvm jvm : jvms) {
            for (String line = jvm.lines().poll();
                    line != null;
                    line = jvm.lines().poll()) {
                if (line.equals("counted")) {
                    counted++;
                } else {
                    ends.add(line);
                }
            }
        }
    }

    /** Waits until all counts so far have been answered. */
    private void awaitCounted() {
        Await.within(ENDED, "the counts are answered", () -> {
            read();
            return counted == sent;
        });
    }

    /** Waits until all threads have gone on and all counts have been answered. */
    private void awaitEnds() {
        Await.within(ENDED, "all threads go on", () -> {
            read();
            return ends.size() >= JVMS * THREADS;
        });
        awaitCounted();
        assertThat(ends)
                .hasSize(JVMS * THREADS)
                .allMatch(end -> end.startsWith("passed ") || end.startsWith("failed "));
    }

    private static String line(ChildJvm jvm) {
        try {
            return Objects.requireNonNull(jvm.nextLine(START));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void allPassed() {
        assertThat(ends).as("generation " + generations).allMatch(end -> end.startsWith("passed "));
    }

    // ================================================================ failovers

    @Test
    void waitersPassThoughAReplicaIsPromotedAtAnyMoment() throws Exception {
        ReplicaGroup group = closing(ReplicaGroup.start(2));
        DistributedLatch latch = start(String.join(" ", group.uris()));
        Promotions promotions = new Promotions(group);
        generation(latch, NOTHING, NOTHING, NOTHING);
        allPassed();
        generation(latch, promotions, NOTHING, NOTHING);
        allPassed();
        generation(latch, NOTHING, promotions, NOTHING);
        allPassed();
        generation(latch, NOTHING, NOTHING, promotions);
        allPassed();
        generation(latch, NOTHING, NOTHING, NOTHING);
        allPassed();
    }

    /** Promotes the next server, as an operator would. */
    private static final class Promotions implements Step {
        private final ReplicaGroup group;
        private int master;

        Promotions(ReplicaGroup group) {
            this.group = group;
        }

        @Override
        public void run() {
            List<RedisServer> servers = group.servers();
            int next = (master + 1) % servers.size();
            LaggingReplica.awaitInStep(servers.get(master), servers.get(next));
            group.replace(servers.get(master), servers.get(next));
            for (RedisServer other : servers) {
                if (other != servers.get(next)) {
                    group.follow(other, servers.get(next));
                }
            }
            master = next;
        }
    }

    /** If the sentinels take longer than the outage patience, which they may soon after a failover, the waits fail. */
    @Test
    @EnabledIfSystemProperty(named = FailoverHistoriesTest.PROOF, matches = "true")
    void waitersPassThoughMastersAreKilledAndSentinelsPromoteReplicas() throws Exception {
        SentinelGroup group = closing(SentinelGroup.start());
        DistributedLatch latch = start(group.uri());
        Kills kills = new Kills(group);
        generation(latch, NOTHING, NOTHING, NOTHING);
        allPassed();
        generation(latch, kills, NOTHING, NOTHING);
        kills.comeBack();
        generation(latch, NOTHING, kills, NOTHING);
        kills.comeBack();
        generation(latch, NOTHING, NOTHING, kills);
        kills.comeBack();
        generation(latch, NOTHING, NOTHING, NOTHING);
        allPassed();
    }

    /** Kills the master. */
    private static final class Kills implements Step {
        private final SentinelGroup group;
        private RedisServer killed;
        private RedisServer master;

        Kills(SentinelGroup group) {
            this.group = group;
            master = group.data().servers().get(0);
            killed = master;
        }

        @Override
        public void run() {
            for (RedisServer other : group.data().servers()) {
                if (other != master) {
                    LaggingReplica.awaitInStep(master, other);
                }
            }
            killed = master;
            killed.kill();
        }

        /** Restarts the killed server as a replica of the new master. */
        void comeBack() {
            master = group.awaitOther(killed);
            killed.restart();
            Await.within(
                    START,
                    "the killed one is a replica",
                    () -> "slave".equals(ReplicaGroup.field(killed, "role"))
                            && "up".equals(ReplicaGroup.field(killed, "master_link_status")));
        }
    }

    // ================================================================ lost writes

    @Test
    void waitersPassThoughThePromotedReplicaLacksTheLastCounts() throws Exception {
        LaggingReplica group = closing(new LaggingReplica());
        DistributedLatch latch = start(group.uris());
        generation(latch, NOTHING, NOTHING, NOTHING);
        allPassed();
        generation(latch, group::fallBehind, group::promote, NOTHING);
        allPassed();
        generation(latch, NOTHING, NOTHING, NOTHING);
        allPassed();
    }

    @Test
    void waitersPassThoughThePromotedReplicaLacksTheWholeGeneration() throws Exception {
        LaggingReplica group = closing(new LaggingReplica());
        DistributedLatch latch = start(group.uris());
        generation(latch, NOTHING, NOTHING, NOTHING);
        allPassed();
        group.fallBehind();
        generation(latch, NOTHING, group::promote, NOTHING);
        allPassed();
        generation(latch, NOTHING, NOTHING, NOTHING);
        allPassed();
    }

    @Test
    @EnabledIfSystemProperty(named = FailoverHistoriesTest.PROOF, matches = "true")
    void waitersFailIfNoServerAndNoClientKnowsTheCount() throws Exception {
        LaggingReplica group = closing(new LaggingReplica());
        DistributedLatch latch = start(group.uris());
        generation(latch, NOTHING, NOTHING, NOTHING);
        allPassed();
        group.fallBehind();
        try (LockClient setter = LockClient.create(FailoverJvm.connect(group.uris()))) {
            Await.until("the count is set", () -> setter.latch(LATCH).trySetCount(COUNT));
        }
        await();
        group.promote();
        awaitEnds();
        assertThat(ends).allMatch(end -> end.startsWith("failed "));
        generation(latch, NOTHING, NOTHING, NOTHING);
        allPassed();
    }
}
