package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.machine.LockMachine;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import org.junit.jupiter.api.Test;

/** Rules of the engine for nudges: a client that caused a grant looks after it. */
class NudgingRulesTest extends EngineScene {

    @Test
    void whoeverCausedAGrantLooksAfterIt() {
        Lease lease = acquire(TEN);
        isSilent();
        lease.releaseAsync();
        forget();
        answered(lastReleaseOf(lease), 0, released(Reply.Release.RELEASED, null, 500));
        pass(500);
        assertThat(withdrawn()).isEmpty();
        assertThat(client.engine.states()).isOne();
        pass(1);
        assertThat(withdrawn()).containsExactly((String) null);
        pass(5_000);
        assertThat(withdrawn()).as("once").hasSize(1);
    }

    private static Command.Release lastReleaseOf(Lease lease) {
        long token = lease.fencingToken();
        return new Command.Release("lock", "c:1", token, token, 0, null);
    }

    @Test
    void whoStandsInTheQueueItselfNeedNot() {
        Lease lease = acquire(TEN);
        wish(TWENTY);
        isSilent();
        lease.releaseAsync();
        Acquired queued = new Acquired(time(), Verdict.QUEUED, 0, 60_000, 1, false, "other:1");
        answered(lastRelease(), 0, released(Reply.Release.RELEASED, queued, 500));
        forget();
        pass(1_000);
        assertThat(withdrawn()).isEmpty();
    }

    @Test
    void whoReleasesByForceLooksAfterTheNextToo() {
        acquire(TEN).release();
        forget();
        happens(machine -> machine.nudgeAfter(500));
        pass(501);
        assertThat(withdrawn()).containsExactly((String) null);
        forget();
        happens(machine -> machine.nudgeAfter(0));
        pass(501);
        assertThat(withdrawn()).isEmpty();
    }

    @Test
    void whoHearsOfTheLockAgainNeedNotLookAfterIt() {
        holdElsewhere(60_000);
        wish(TEN);
        forget();
        happens(machine -> machine.nudgeAfter(500));
        client.engine.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        pass(501);
        assertThat(withdrawn()).as("by a grant").isEmpty();
        happens(machine -> machine.nudgeAfter(100));
        answered(
                new Command.Acquire("lock", "c:99", false, 1_000, 0, 0),
                now(),
                new Acquired(time(), Verdict.STALE, 0, 0, 0, false, null));
        pass(101);
        assertThat(withdrawn()).as("by an answer").isEmpty();
    }

    @Test
    void whoOnlyTriedStillLooksAfterIt() {
        acquire(TEN).release();
        holdElsewhere(60_000);
        forget();
        happens(machine -> machine.nudgeAfter(500));
        assertThat(client.lock(TEN).tryLock()).isFalse();
        pass(501);
        assertThat(withdrawn()).contains((String) null);
    }

    @Test
    void aNudgeThatFailedIsRepeatedSoon() {
        acquire(TEN).release();
        happens(machine -> machine.nudgeAfter(500));
        fails(true, BROKEN);
        pass(501);
        forget();
        pass(99);
        assertThat(withdrawn()).isEmpty();
        pass(1);
        assertThat(withdrawn()).hasSize(1);
    }

    @Test
    void afterANudgeThoseInTheQueueAskForTheyMayHaveLostTheirPlaces() {
        holdElsewhere(60_000);
        wish(FIFO);
        wish(TEN);
        forget();
        happens(machine -> machine.nudgeAfter(500));
        pass(501);
        assertThat(withdrawn()).containsExactly((String) null);
        assertThat(asked()).containsExactly("c:1");
    }

    @Test
    void aClosedClientDoesNotStayForANudge() {
        acquire(TEN).release();
        happens(machine -> machine.nudgeAfter(500));
        pass(400);
        happens(LockMachine::close);
        assertThat(client.engine.states()).isZero();
    }
}
