// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.BackendException;
import io.boltwork.Leadership;
import io.boltwork.LeadershipListener;
import io.boltwork.Lease;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.EngineReadWriteLock;
import io.boltwork.engine.locks.multi.EngineMultiLock;
import io.boltwork.spi.ForceRelease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The rules of a leadership, in virtual time and on one thread. */
class LeadershipRulesTest extends EngineScene {

    private final List<String> events = new ArrayList<>();
    private final List<Lease> terms = new ArrayList<>();
    private final LogBook log = new LogBook();

    /** Run in {@code elected} and in {@code revoked}, before both throw the exception. */
    private Runnable whenElected = () -> {};

    private Runnable whenRevoked = () -> {};
    private Exception thrown;
    private Leadership leadership;

    /** A listener that writes down its calls, with the time in milliseconds. */
    private final class Recorder implements LeadershipListener {
        private final String name;

        Recorder(String name) {
            this.name = name;
        }

        @Override
        public void elected(Lease lease) throws Exception {
            events.add(now() + " " + name + " elected");
            terms.add(lease);
            whenElected.run();
            if (thrown != null) {
                throw thrown;
            }
        }

        @Override
        public void revoked(Revocation revocation) throws Exception {
            events.add(now() + " " + name + " revoked " + revocation.reason()
                    + revocation.loss().map(loss -> " " + loss.reason()).orElse(""));
            assertThat(revocation.fencingToken())
                    .isEqualTo(terms.get(terms.size() - 1).fencingToken());
            whenRevoked.run();
            if (thrown != null) {
                throw thrown;
            }
        }
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    private void stands(Executor executor) {
        leadership = Leadership.of(client.lock(TEN), new Recorder("a"), executor);
    }

    private void stands() {
        stands(Runnable::run);
    }

    /** Makes another client stand for election. */
    private Leadership standsElsewhere() {
        StillClient other = new StillClient(client, "d");
        return Leadership.of(other.lock(TEN), new Recorder("b"), Runnable::run);
    }

    private void force() {
        client.server.execute(new ForceRelease("lock", 0));
    }

    @Test
    void aCandidateLeadsFromItsGrantOn() {
        holdElsewhere(60_000);
        stands();
        assertThat(leadership.isLeader()).isFalse();
        assertThat(leadership.lease()).isEmpty();
        pass(1_000);
        freeElsewhere();
        assertThat(events).containsExactly("1000 a elected");
        assertThat(leadership.isLeader()).isTrue();
        assertThat(leadership.lease()).containsSame(terms.get(0));
        assertThat(leadership.leader()).hasValueSatisfying(leader -> {
            assertThat(leader.request()).startsWith("c:");
            assertThat(leader.fencingToken()).isEqualTo(terms.get(0).fencingToken());
        });
        assertThat(leadership)
                .hasToString("Leadership['lock', leads with fencing token "
                        + terms.get(0).fencingToken() + "]");
        pass(120_000);
        assertThat(leadership.isLeader()).isTrue();
        leadership.close();
    }

    @Test
    void theListenerCannotReleaseTheLease() {
        stands();
        terms.get(0).release();
        leadership.lease().orElseThrow().close();
        assertThat(leadership.isLeader()).isTrue();
        assertThat(client.isFree()).isFalse();
        leadership.close();
        assertThat(client.isFree()).isTrue();
        assertThat(terms.get(0).isValid()).isFalse();
    }

    @Test
    void theNextLeaderIsElectedAfterTheLastOneWasRevoked() {
        stands();
        Leadership other = standsElsewhere();
        whenRevoked = () -> {
            assertThat(leadership.isLeader()).isFalse();
            assertThat(terms.get(0).isValid()).isFalse();
            assertThat(look().owner()).startsWith("c:");
            whenRevoked = () -> {};
        };
        leadership.yieldFor(Duration.ZERO);
        assertThat(events).containsExactly("0 a elected", "0 a revoked YIELDED", "0 b elected");
        assertThat(terms.get(1).fencingToken()).isGreaterThan(terms.get(0).fencingToken());
        other.close();
        assertThat(events).endsWith("0 b revoked CLOSED", "0 a elected");
        leadership.close();
    }

    @Test
    void aCandidateThatYieldsDoesNotStandMeanwhile() {
        stands();
        leadership.yieldFor(Duration.ofSeconds(10));
        assertThat(leadership).hasToString("Leadership['lock', rests for 10 s]");
        assertThat(client.isFree()).isTrue();
        leadership.yieldFor(Duration.ofSeconds(5));
        pass(5_000);
        leadership.yieldFor(Duration.ofSeconds(7));
        pass(6_999);
        assertThat(events).containsExactly("0 a elected", "0 a revoked YIELDED");
        pass(1);
        assertThat(events).endsWith("12000 a elected");
        leadership.close();
    }

    @Test
    void aWaitingCandidateThatYieldsLeavesTheQueue() {
        holdElsewhere(60_000);
        stands();
        leadership.yieldFor(Duration.ZERO);
        assertThat(look().queue()).hasSize(1);
        leadership.yieldFor(Duration.ofSeconds(10));
        assertThat(look().queue()).isEmpty();
        freeElsewhere();
        pass(9_999);
        assertThat(events).isEmpty();
        pass(1);
        assertThat(events).containsExactly("10000 a elected");
        leadership.close();
    }

    @Test
    void aYieldOfCenturiesIsPossible() {
        stands();
        leadership.yieldFor(Duration.ofSeconds(Long.MAX_VALUE));
        pass(1_000_000);
        leadership.yieldFor(Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(events).hasSize(2);
        leadership.close();
        assertThat(leadership).hasToString("Leadership['lock', closed]");
    }

    @Test
    void aLeaderIsRevokedWhenItsLeaseEnds() {
        stands();
        isSilent();
        pass(20_000);
        assertThat(events).hasSize(2).last().asString().matches("9\\d\\d\\d a revoked LOST EXPIRED");
        assertThat(leadership.isLeader()).isFalse();
        answersAgain();
        client.engine.backendWatch.connected(time());
        pass(10_000);
        assertThat(events).hasSize(3).last().asString().endsWith(" a elected");
        assertThat(terms.get(1).fencingToken()).isGreaterThan(terms.get(0).fencingToken());
        leadership.close();
    }

    @Test
    void aLateClockEndsLeadershipBeforeTheListenerIsTold() {
        stands();
        stallTo(terms.get(0));
        assertThat(leadership.isLeader()).isFalse();
        assertThat(leadership.lease()).isEmpty();
        assertThat(events).hasSize(1);
        pass(0);
        assertThat(events).hasSizeGreaterThan(1).element(1).asString().endsWith("a revoked LOST EXPIRED");
        leadership.close();
    }

    @Test
    void aLeaderIsRevokedWhenItsLockIsTaken() {
        stands();
        pass(1_000);
        force();
        pass(10_000);
        assertThat(events.get(1)).endsWith("a revoked LOST TAKEN");
        assertThat(events.get(2)).endsWith("a elected");
        leadership.close();
    }

    @Test
    void aLeaderLeadsForAtMostTheMaximumHold() {
        leadership =
                Leadership.of(client.lock(TEN.withMaxHold(Duration.ofSeconds(30))), new Recorder("a"), Runnable::run);
        pass(31_000);
        assertThat(events.get(1)).endsWith("a revoked LOST MAX_HOLD");
        assertThat(leadership.isLeader()).isTrue();
        leadership.close();
    }

    @Test
    void pausesGrowWithEachFailure() {
        thrown = new IllegalStateException("for the test");
        stands();
        pass(100_000);
        assertThat(events.stream().filter(event -> event.endsWith(" elected")))
                .startsWith("0 a elected", "250 a elected", "750 a elected", "1750 a elected", "3750 a elected")
                .contains("30750 a elected", "45750 a elected", "60750 a elected");
        assertThat(events.get(1)).isEqualTo("0 a revoked FAILED");
        assertThat(log.entries).contains("The listener of a leadership threw; the leadership ends");
        client.random = bound -> bound - 1;
        pass(15_000);
        int failed = events.size();
        pass(20_749);
        assertThat(events).hasSize(failed);
        assertThat(client.isFree()).isTrue();
        thrown = null;
        pass(1);
        assertThat(leadership.isLeader()).isTrue();
        thrown = new IllegalStateException("for the test");
        leadership.yieldFor(Duration.ZERO); // stands, leads, and fails: for the first time again
        pass(499);
        failed = events.size();
        pass(1);
        assertThat(events).hasSize(failed + 2);
        leadership.close();
    }

    @Test
    void aListenerThatThrowsWhenRevokedKeepsNothing() {
        stands();
        thrown = new IllegalStateException("for the test");
        whenElected = () -> thrown = null;
        leadership.yieldFor(Duration.ZERO);
        assertThat(events).containsExactly("0 a elected", "0 a revoked YIELDED", "0 a elected");
        leadership.close();
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aWaitingCandidateThatClosesLeavesTheQueue() {
        holdElsewhere(60_000);
        stands();
        leadership.close();
        assertThat(look().queue()).isEmpty();
        assertThat(leadership).hasToString("Leadership['lock', closed]");
        freeElsewhere();
        pass(60_000);
        assertThat(events).isEmpty();
    }

    @Test
    void aRestingCandidateThatClosesStandsNoMore() {
        stands();
        leadership.yieldFor(Duration.ofSeconds(1));
        leadership.close();
        leadership.close();
        leadership.yieldFor(Duration.ofSeconds(1));
        pass(60_000);
        assertThat(events).hasSize(2);
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void theListenerMayCloseWhenElected() {
        whenElected = () -> {
            leadership.close();
            assertThat(client.isFree()).isFalse();
        };
        holdElsewhere(60_000);
        stands();
        freeElsewhere();
        assertThat(events).containsExactly("0 a elected", "0 a revoked CLOSED");
        assertThat(leadership).hasToString("Leadership['lock', closed]");
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void theListenerMayCloseWhenRevoked() {
        whenRevoked = () -> leadership.close();
        stands();
        leadership.yieldFor(Duration.ZERO);
        assertThat(events).containsExactly("0 a elected", "0 a revoked YIELDED");
        assertThat(leadership).hasToString("Leadership['lock', closed]");
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aLeaderCanYieldWhenElected() {
        whenElected = () -> leadership.yieldFor(Duration.ofSeconds(3));
        holdElsewhere(60_000);
        stands();
        freeElsewhere();
        pass(3_000);
        assertThat(events)
                .containsExactly("0 a elected", "0 a revoked YIELDED", "3000 a elected", "3000 a revoked YIELDED");
        leadership.close();
    }

    @Test
    void aTermThatEndsBeforeItBeginsIsNotTold() {
        List<Runnable> later = new ArrayList<>();
        stands(later::add);
        assertThat(later).hasSize(1);
        assertThat(leadership.isLeader()).isFalse();
        leadership.yieldFor(Duration.ofSeconds(1));
        assertThat(client.isFree()).isTrue();
        later.get(0).run();
        pass(1_000);
        assertThat(later).hasSize(2);
        force();
        pass(10_000);
        later.get(1).run();
        assertThat(events).isEmpty();
        later.get(2).run();
        assertThat(leadership.isLeader()).isTrue();
        leadership.close();
        assertThat(events).hasSize(2);
    }

    @Test
    void anExecutorThatRejectsIsAFailure() {
        stands(work -> {
            if (now() < 700) {
                throw new RejectedExecutionException("for the test");
            }
            work.run();
        });
        assertThat(client.isFree()).isTrue();
        pass(750);
        assertThat(events).containsExactly("750 a elected");
        leadership.close();
    }

    @Test
    void aCandidateThatCannotAskTriesAgain() {
        fails(false, new BackendException("for the test", false, null));
        stands();
        pass(700);
        answersAgain();
        assertThat(events).isEmpty();
        pass(50);
        assertThat(events).containsExactly("750 a elected");
        leadership.close();
    }

    @Test
    void theEndOfTheClientEndsALeadership() {
        stands();
        Leadership waiting = Leadership.of(client.lock(TEN), new Recorder("b"), Runnable::run);
        client.engine.close();
        pass(1);
        assertThat(events).containsExactly("0 a elected", "0 a revoked LOST CLOSED");
        assertThat(leadership).hasToString("Leadership['lock', closed]");
        assertThat(waiting).hasToString("Leadership['lock', closed]");
        stands();
        assertThat(leadership).hasToString("Leadership['lock', closed]");
        assertThat(events).hasSize(2);
    }

    @Test
    void onlyPlainLocksHaveLeaders() {
        EngineReadWriteLock shared = new EngineReadWriteLock(client.engine, "lock", TEN);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Leadership.of(shared.readLock(), new Recorder("a")))
                .withMessageStartingWith("lock must be a plain lock, made by LockClient.lock, but is ");
        assertThatIllegalArgumentException().isThrownBy(() -> Leadership.of(shared.writeLock(), new Recorder("a")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Leadership.of(
                        EngineMultiLock.of(client.engine, new EngineLock(client.engine, "lock", TEN)),
                        new Recorder("a")));
    }
}
