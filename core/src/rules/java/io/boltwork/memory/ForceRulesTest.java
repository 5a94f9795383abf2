// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static io.boltwork.memory.Scene.BLOCK;
import static io.boltwork.memory.Scene.CLAIM;
import static io.boltwork.memory.Scene.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Reply.Forced;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The rules of forced releases. Each test is the trace that goes wrong without its rule. */
class ForceRulesTest {

    @Test
    void theOwnerIsToldAtItsNextContactAndStaysOut() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        assertThat(scene.force(0)).isTrue();
        assertThat(scene.inspect().owner()).isNull();
        assertThat(scene.inspect().fence()).isEqualTo(token + BLOCK);
        assertThat(scene.renew("a:1", token)).isEqualTo(Renewal.LOST);
        assertThat(scene.restore("a:1", token)).isEqualTo(Renewal.LOST);
        assertThat(scene.release("a:1", token)).isEqualTo(Release.NOT_HELD);
        assertThat(scene.hold("b:1")).isEqualTo(token + BLOCK + 1);
    }

    @Test
    void theNextWaiterIsGranted() {
        Scene scene = new Scene("b");
        long token = scene.hold("a:1");
        scene.queue("b:1", "b:2");
        assertThat(scene.server.execute(new ForceRelease(Scene.LOCK, 0)))
                .isEqualTo(new Forced(scene.server.time(), true, CLAIM, "b:1", "a:1", token));
        assertThat(scene.message())
                .isEqualTo(new Grant(Scene.LOCK, "b:1", token + BLOCK + 1, CLAIM, scene.server.time()));
        assertThat(scene.waiting()).containsExactly("b:2");
    }

    @Test
    void anyTokenOfItsBlockIdentifiesAHold() {
        for (long used : new long[] {0, 1, BLOCK - 1}) {
            Scene scene = new Scene();
            assertThat(scene.force(scene.hold("a:1") + used)).isTrue();
            assertThat(scene.inspect().owner()).isNull();
        }
    }

    @Test
    void anotherHoldIsNotTouched() {
        Scene scene = new Scene("b");
        long token = scene.hold("a:1");
        scene.queue("b:1");
        for (long other : new long[] {1, token - 1, token + BLOCK}) {
            assertThat(scene.server.execute(new ForceRelease(Scene.LOCK, other)))
                    .isEqualTo(new Forced(scene.server.time(), false, 0, "a:1", null, 0));
        }
        assertThat(scene.inspect().fence()).isEqualTo(token + BLOCK - 1);
        assertThat(scene.waiting()).containsExactly("b:1");
        assertThat(scene.renew("a:1", token)).isEqualTo(Renewal.OK);
    }

    @Test
    void aKeptLockIsOpenedUnlessATokenIsGiven() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.release("a:1", token, token, 500, null);
        assertThat(scene.force(token)).isFalse();
        assertThat(scene.acquire("b:1").verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(scene.force(0)).isTrue();
        assertThat(scene.acquire("b:1").verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aLapsedOwnerDoesNotCount() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.pass(LEASE);
        assertThat(scene.force(0)).isFalse();
        assertThat(scene.renew("a:1", token)).isEqualTo(Renewal.LOST);
        long later = scene.hold("b:1");
        scene.pass(LEASE);
        assertThat(scene.force(later)).isFalse();
        assertThat(scene.inspect().fence()).isEqualTo(later + BLOCK - 1);
    }

    @Test
    void aLapsedClaimRemovesTheRequestsOfItsClient() {
        Scene scene = new Scene("b", "c");
        long token = scene.hold("a:1");
        scene.queue("b:1", "b:2", "c:1");
        scene.release("a:1", token);
        scene.pass(CLAIM);
        assertThat(scene.force(0)).isFalse();
        assertThat(scene.inspect().owner()).isEqualTo("c:1");
        assertThat(scene.waiting()).isEmpty();
    }

    @Test
    void aFreeLockStillGoesToTheNextIfTheTokenIsAnother() {
        Scene scene = new Scene("b");
        scene.hold("a:1");
        scene.queue("b:1");
        scene.pass(LEASE);
        assertThat(scene.server.execute(new ForceRelease(Scene.LOCK, 1)))
                .isEqualTo(new Forced(scene.server.time(), false, CLAIM, "b:1", null, 0));
    }

    @Test
    void aForgottenOwnerDoesNotComeBackEither() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.server.flush();
        assertThat(scene.force(token)).isFalse();
        assertThat(scene.inspect().fence()).as("nothing was changed").isZero();
        assertThat(scene.force(0)).isFalse();
        assertThat(scene.renew("a:1", token)).isEqualTo(Renewal.LOST);
        assertThat(scene.restore("a:1", token)).isEqualTo(Renewal.LOST);
        assertThat(scene.hold("b:1")).isGreaterThan(token);
    }

    @Test
    void theFenceOutlivesTheTakenLease() {
        Scene scene = new Scene();
        long week = Duration.ofDays(7).toMillis();
        long token = scene.ask(new Command.Acquire(Scene.LOCK, "a:1", true, week, 0, Scene.NEVER))
                .token();
        assertThat(scene.force(token)).isTrue();
        scene.pass(2 * week + 2_000); // the rest of the lease, a lease and a command timeout
        assertThat(scene.restore("a:1", token)).isEqualTo(Renewal.LOST);
    }

    @Test
    void theFenceOutlivesALeaseUnknownToTheServer() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.server.flush();
        scene.force(0);
        scene.pass(Duration.ofDays(1).toMillis());
        assertThat(scene.restore("a:1", token)).isEqualTo(Renewal.LOST);
    }

    @Test
    void aForcedReleaseOfAnEndedHoldKeepsNothingLonger() {
        Scene scene = new Scene();
        long token = scene.hold("a:1");
        scene.release("a:1", token);
        scene.force(token);
        scene.pass(LEASE + IdleLife.DEFAULT.toMillis() + 1);
        assertThat(scene.inspect().fence()).isZero();
    }
}
