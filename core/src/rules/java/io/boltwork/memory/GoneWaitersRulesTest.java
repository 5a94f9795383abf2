// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The cost of dead clients for the waiters behind them: short claims and bounded steps. */
class GoneWaitersRulesTest {
    private static final long SHORT = LockBackend.SHORT_CLAIM_MILLIS;

    /** Returns a scene with frozen clients f0, f1, ..., whose requests are f0:1, f1:1, ... */
    private static Scene frozen(int count, String... others) {
        List<String> clients = new ArrayList<>(List.of(others));
        IntStream.range(0, count).forEach(i -> clients.add("f" + i));
        return new Scene(clients.toArray(String[]::new));
    }

    /** Lets the claim lapse without a confirmation, and returns the next grant. */
    private static Grant lapse(Scene scene) {
        scene.pass(scene.inspect().untilMillis() - scene.now());
        scene.messages.clear();
        scene.nudge();
        return scene.message();
    }

    /** Returns the time until the last healthy request behind or between frozen ones has been served. */
    private static long chain(int count, boolean interleaved) {
        Scene scene = frozen(count, "h");
        long token = scene.hold("a:1");
        for (int i = 0; i < count; i++) {
            scene.queue("f" + i + ":1");
            if (interleaved) {
                scene.queue("h:" + i);
            }
        }
        scene.queue("h:last");
        long begin = scene.now();
        scene.release("a:1", token);
        while (true) {
            Grant grant = scene.message();
            if (grant.request().startsWith("h:")) {
                assertThat(scene.renew(grant.request(), grant.token())).isEqualTo(Reply.Renewal.OK);
                if (grant.request().equals("h:last")) {
                    return scene.now() - begin;
                }
                scene.release(grant.request(), grant.token());
            } else {
                scene.pass(scene.inspect().untilMillis() - scene.now() + 1);
                scene.nudge();
            }
        }
    }

    @Test
    void frozenWaitersCostOneLongClaimAndShortOnes() {
        assertThat(chain(20, false)).isLessThanOrEqualTo(9_000);
        assertThat(chain(20, true)).isLessThanOrEqualTo(9_000);
        assertThat(chain(100, false)).isLessThanOrEqualTo(35_000);
        assertThat(chain(100, true)).isLessThanOrEqualTo(35_000);
        assertThat(chain(200, false)).as("the time with one long claim").isLessThanOrEqualTo(63_000);
    }

    @Test
    void aClaimIsShortForHalfAMinuteAfterOneHasLapsed() {
        Scene scene = frozen(1, "b");
        long token = scene.hold("a:1");
        scene.queue("f0:1", "b:1");
        scene.release("a:1", token);
        assertThat(scene.message().leaseMillis()).isEqualTo(Scene.CLAIM);
        Grant first = lapse(scene);
        assertThat(first.leaseMillis()).isEqualTo(SHORT);
        scene.renew("b:1", first.token());
        scene.pass(LockBackend.SHORT_CLAIMS_LAST_MILLIS - 1 - Scene.LEASE);
        scene.renew("b:1", first.token(), 2 * Scene.LEASE, 0, Scene.NEVER);
        scene.pass(Scene.LEASE);
        scene.queue("b:2", "b:3");
        scene.release("b:1", first.token());
        Grant second = scene.message();
        assertThat(second.leaseMillis()).isEqualTo(SHORT);
        scene.renew("b:2", second.token());
        scene.pass(1);
        scene.release("b:2", second.token());
        assertThat(scene.message().leaseMillis()).isEqualTo(Scene.CLAIM);
    }

    @Test
    void aLapsedShortClaimCostsAPlaceAndASecondOneAllPlaces() {
        Scene scene = frozen(1, "b", "c");
        long token = scene.hold("a:1");
        scene.queue("f0:1", "b:1", "b:2", "c:1", "b:3");
        scene.release("a:1", token);
        assertThat(lapse(scene).request()).isEqualTo("b:1");
        assertThat(lapse(scene).request())
                .as("other requests of its client stay")
                .isEqualTo("b:2");
        assertThat(scene.waiting()).containsExactly("c:1", "b:3", "b:1");
        assertThat(scene.acquire("b:1").known()).isTrue();
        assertThat(lapse(scene).request()).isEqualTo("c:1");
        assertThat(scene.waiting()).isEmpty();
        assertThat(scene.acquire("b:3").known()).isFalse();
    }

    @Test
    void aRequestMovesToTheTailOnlyOnce() {
        Scene scene = frozen(1, "b", "c");
        long token = scene.hold("a:1");
        scene.queue("f0:1", "b:1", "c:1");
        scene.release("a:1", token);
        lapse(scene);
        Grant other = lapse(scene);
        scene.renew("c:1", other.token());
        scene.release("c:1", other.token());
        assertThat(scene.message()).satisfies(again -> {
            assertThat(again.request()).isEqualTo("b:1");
            assertThat(again.leaseMillis()).isEqualTo(SHORT);
        });
        scene.pass(SHORT);
        assertThat(scene.nudge().owner()).isNull();
        assertThat(scene.acquire("b:1").known()).isFalse();
    }

    @Test
    void aPauseCostsAHealthyClientOnePlace() {
        Scene scene = frozen(1, "b", "c");
        long token = scene.hold("a:1");
        scene.queue("f0:1", "b:1", "c:1", "b:2");
        scene.release("a:1", token);
        lapse(scene); // the grant goes to b:1, which pauses for 400 ms
        Grant next = lapse(scene);
        assertThat(next.request()).isEqualTo("c:1");
        scene.pass(100);
        scene.release("c:1", next.token());
        Grant second = scene.message();
        assertThat(second.request()).isEqualTo("b:2");
        scene.renew("b:2", second.token());
        scene.release("b:2", second.token());
        assertThat(scene.message().request()).isEqualTo("b:1");
    }

    @Test
    void laterRequestsDoNotKeepClaimsShort() {
        Scene scene = frozen(1, "b", "c");
        long token = scene.hold("a:1");
        scene.queue("f0:1", "b:1");
        scene.release("a:1", token);
        lapse(scene);
        long end = scene.now() + LockBackend.SHORT_CLAIMS_LAST_MILLIS; // b:1 waited before and keeps them short
        scene.pass(SHORT / 2);
        scene.queue("c:1", "c:2");
        Grant slow = lapse(scene);
        assertThat(slow.request()).isEqualTo("c:1");
        end = scene.now() + LockBackend.SHORT_CLAIMS_LAST_MILLIS;
        while (scene.now() < end) { // a client that always confirms too late
            scene.pass(SHORT);
            scene.messages.clear();
            if (scene.acquire("c:" + scene.now()).verdict() == Verdict.GRANTED) {
                scene.withdraw(scene.inspect().owner(), 0);
            }
        }
        scene.hold("a:2");
        scene.queue("c:9");
        scene.release("a:2", scene.inspect().token());
        scene.messages.removeIf(grant -> !grant.request().equals("c:9"));
        assertThat(scene.message().leaseMillis()).isEqualTo(Scene.CLAIM);
    }

    @Test
    void requestsEnteredAfterALapsedClaimCount() {
        Scene scene = frozen(0, "b", "c");
        long token = scene.hold("a:1");
        scene.queue("b:1", "b:2", "c:1", "c:2");
        scene.release("a:1", token);
        assertThat(lapse(scene).request()).isEqualTo("c:1");
        scene.queue("b:2", "b:3");
        assertThat(scene.waiting()).containsExactly("c:2", "b:2", "b:3");
        assertThat(scene.acquire("b:2").known()).isTrue();
        scene.withdraw("c:1", 0);
        scene.withdraw("c:2", 0);
        assertThat(scene.inspect().owner()).isEqualTo("b:2");
    }

    @Test
    void aStepExaminesABoundedNumberOfPlaces() {
        Scene scene = new Scene("b");
        long token = scene.hold("a:1");
        for (int i = 1; i <= 1_000; i++) {
            scene.queue("dead" + i + ":1");
        }
        scene.queue("b:1");
        Reply.Released released = scene.release("a:1", token, token, 0, null);
        assertThat(released.claimMillis()).isEqualTo(Reply.AGAIN);
        assertThat(released.owner()).isNull();
        assertThat(scene.waiting()).hasSize(751);
        assertThat(scene.ask(new Command.Acquire(Scene.LOCK, "c:1", false, Scene.LEASE, 0, Scene.NEVER)))
                .isEqualTo(new Acquired(scene.server.time(), Verdict.AGAIN, 0, 0, 0, false, null));
        assertThat(scene.acquire("b:1").verdict()).isEqualTo(Verdict.AGAIN);
        assertThat(scene.nudge().claimMillis()).isEqualTo(Reply.AGAIN);
        assertThat(scene.nudge().owner()).isEqualTo("b:1");
    }

    @Test
    void aFirstWaiterThatAsksIsGrantedWithoutAClaim() {
        Scene scene = frozen(1, "b");
        long token = scene.hold("a:1");
        scene.queue("f0:1", "b:1");
        scene.release("a:1", token);
        scene.pass(Scene.CLAIM);
        assertThat(scene.acquire("b:1").verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(scene.inspect().claim()).isFalse();
    }
}
