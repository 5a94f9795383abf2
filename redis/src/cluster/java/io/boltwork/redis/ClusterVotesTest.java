// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.LockFreed;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Raised;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Reply.Witnessed;
import io.boltwork.spi.VoteCommand.GiveBack;
import io.boltwork.spi.VoteCommand.Raise;
import io.boltwork.spi.VoteCommand.Vote;
import io.boltwork.spi.Witness;
import io.boltwork.testkit.server.ClusterGroup;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests votes on a cluster, which can be one of the servers of a quorum. */
class ClusterVotesTest {
    private static ClusterGroup group;
    private static Client a;
    private static Client b;

    @BeforeAll
    static void start() {
        group = ClusterGroup.start(3, 0, ClusterSite.PATIENT);
        a = Client.open("a", RedisBackend.connectCluster(group.uris()));
        b = Client.open("b", RedisBackend.connectCluster(group.uris()));
    }

    @AfterAll
    static void stop() {
        a.close();
        b.close();
        group.close();
    }

    @Test
    void aVoteIsGivenAndGivenBackOnEveryMaster() {
        for (String lock : List.of("one", "two", "three", "four", "five", "six")) {
            Acquired granted = a.ask(new Vote(lock, "a:1", Client.LEASE, 0, Client.NEVER, true), Acquired.class);
            long token = granted.token();
            Acquired refused = b.ask(new Vote(lock, "b:1", Client.LEASE, 0, Client.NEVER, true), Acquired.class);
            assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED);
            assertThat(a.ask(new Raise(lock, "a:1", token, token + 5_000), Raised.class)
                            .accepted())
                    .isTrue();
            Released released = a.ask(new GiveBack(lock, "a:1", token, token, token + 5_000, 0), Released.class);
            assertThat(released.outcome()).isEqualTo(Release.RELEASED);
            assertThat(Client.next(b.freed)).isEqualTo(new LockFreed(lock, released.server()));
        }
        assertThat(b.warnings).noneMatch(warning -> warning.contains("a message that is not a grant"));
    }

    @Test
    void theUptimeIsThatOfOneMaster() {
        Witnessed asked = a.ask(new Witness("", 0), Witnessed.class);
        assertThat(asked.watchedMillis()).isZero();
        a.ask(new Witness(asked.server().run(), 5_000), Witnessed.class);
        Witnessed told = b.ask(new Witness("", 0), Witnessed.class);
        assertThat(told.server().run()).isEqualTo(asked.server().run());
        assertThat(told.watchedMillis()).isEqualTo(5_000);
        assertThat(told.durable()).isFalse();
    }
}
