// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A journal that checks tokens sees one leader at a time, also after kills and outages. */
class LeaderTest {

    @Test
    void anotherInstanceLeadsAfterAKillOrAForcedRelease() throws Exception {
        try (RedisServer redis = RedisServer.start();
                LockClient locks = LockClient.create(RedisBackend.connect(redis.uri(), Instances.APART));
                Journal journal = new Journal(redis.uri());
                Instances candidates = new Instances(redis.uri())) {
            Stream.of("ada", "bob", "cyd").forEach(name -> candidates.start(Leader.class, name));

            Term first = nextTerm(candidates);
            awaitEntries(journal, first);
            candidates.kill(first.leader);

            Term second = nextTerm(candidates);
            awaitEntries(journal, second);
            assertThat(locks.inspector().forceRelease("leader", second.token)).isTrue();

            Term third = nextTerm(candidates);
            awaitEntries(journal, third);

            assertThat(second.leader).isNotEqualTo(first.leader);
            assertThat(List.of(first.token, second.token, third.token))
                    .isSorted()
                    .doesNotHaveDuplicates();
            List<String> written = journal.entries();
            assertThat(written.stream().map(LeaderTest::token)).isSorted();
            assertThat(written.stream().distinct()).containsExactly(first.entry(), second.entry(), third.entry());
        }
    }

    @Test
    void leaderWithoutRedisStepsDown() throws Exception {
        List<Long> terms = new CopyOnWriteArrayList<>();
        List<String> ends = new CopyOnWriteArrayList<>();
        try (RedisServer redis = RedisServer.start();
                LockClient locks = LockClient.create(RedisBackend.connect(redis.uri()))) {
            Thread leader = new Thread(() -> {
                try {
                    Leader.lead(locks.lock("leader", Leader.OPTIONS), new Leader.Duties() {
                        @Override
                        public void begin(long fencingToken) {
                            terms.add(fencingToken);
                        }

                        @Override
                        public void end() {
                            ends.add("end");
                        }
                    });
                } catch (InterruptedException e) {
                    ends.add("resigned");
                }
            });
            leader.start();
            Await.until("the candidate leads", () -> terms.size() == 1);
            redis.freeze();
            Await.until("the leader has stepped down", () -> ends.size() == 1);
            assertThat(terms).hasSize(1);
            redis.thaw();
            Await.until("the candidate leads again", () -> terms.size() == 2);
            leader.interrupt();
            leader.join();
        }
        assertThat(terms).isSorted().doesNotHaveDuplicates();
        assertThat(ends).containsExactly("end", "end", "resigned");
    }

    @Test
    void interruptEndsLeadership() throws Exception {
        List<String> events = new CopyOnWriteArrayList<>();
        try (LockClient locks = LockClient.create(MemoryBackend.create())) {
            Thread leader = new Thread(() -> {
                try {
                    Leader.lead(locks.lock("leader", Leader.OPTIONS), new Leader.Duties() {
                        @Override
                        public void begin(long fencingToken) {
                            events.add("begin");
                        }

                        @Override
                        public void end() {
                            events.add("end, held: " + locks.lock("leader").isLocked());
                        }
                    });
                } catch (InterruptedException e) {
                    events.add("resigned");
                }
            });
            leader.start();
            Await.until("the candidate leads", () -> events.contains("begin"));
            leader.interrupt();
            leader.join();
            assertThat(events).containsExactly("begin", "end, held: true", "resigned");
            assertThat(locks.lock("leader").isLocked()).isFalse();
        }
    }

    private static void awaitEntries(Journal journal, Term term) {
        Await.until(term + " has written", () -> journal.entries().contains(term.entry()));
    }

    private static Term nextTerm(Instances candidates) throws InterruptedException {
        while (true) {
            String[] words = candidates.nextLine().split("[: ]+"); // such as: ada: leads with token 1763
            if (words[1].equals("leads")) {
                return new Term(words[0], Long.parseLong(words[4]));
            }
        }
    }

    private static long token(String entry) {
        return Long.parseLong(entry.split(" ")[0]);
    }

    private record Term(String leader, long token) {
        String entry() {
            return token + " " + leader;
        }
    }
}
