// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Leadership;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A journal that checks tokens sees one leader at a time, also after kills and outages. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
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
        try (RedisServer redis = RedisServer.start();
                RedisServer others = RedisServer.start();
                LockClient locks = LockClient.create(RedisBackend.connect(redis.uri()));
                Journal journal = new Journal(others.uri());
                Leadership leadership = Leader.stand(locks, journal, "ada")) {
            Await.until("the candidate leads", leadership::isLeader);
            long first = leadership.lease().orElseThrow().fencingToken();
            redis.freeze();
            Await.until("the leader has stepped down", () -> !leadership.isLeader());
            redis.thaw();
            Await.until("the candidate leads again", leadership::isLeader);
            assertThat(leadership.lease().orElseThrow().fencingToken()).isGreaterThan(first);
            leadership.close();
            assertThat(locks.lock("leader").isLocked()).isFalse();
            assertThat(journal.entries().stream().map(LeaderTest::token)).isSorted();
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
