// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockListener;
import io.boltwork.LockListener.BackendRecovered;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A client's report, after a reconnection, of the outcomes of its holds and waiters. */
class RecoveryRulesTest extends EngineScene {

    private final List<BackendRecovered> told = new ArrayList<>();

    RecoveryRulesTest() {
        client.engine.listen(new LockListener() {
            @Override
            public void backendRecovered(BackendRecovered event) {
                told.add(event);
            }
        });
    }

    private Lease acquire(String lock) {
        return kept(new EngineLock(client.engine, lock, TEN).acquire());
    }

    private void takeElsewhere(String lock) {
        client.server.execute(new Command.Acquire(lock, "other:1", true, 10_000, 0, Long.MAX_VALUE));
    }

    private void breakDown() {
        client.engine.backendWatch.disconnected(new IllegalStateException("broken"));
    }

    private void comeBack() {
        client.engine.backendWatch.connected(time());
    }

    /** Asserts the only report: the numbers of kept, restored and lost holds, and of waiters that asked again. */
    private void toldOf(int... counts) {
        assertThat(told).hasSize(1);
        BackendRecovered event = told.get(0);
        assertThat(new int[] {event.kept(), event.restored(), event.lost(), event.askedAgain()})
                .isEqualTo(counts);
    }

    @Test
    void everyHoldAndWaiterIsCountedByItsOutcome() {
        List.of("kept", "kept as well", "forgotten", "taken").forEach(this::acquire);
        takeElsewhere("awaited");
        new EngineLock(client.engine, "awaited", TEN).acquireAsync();
        breakDown();
        client.server.delete("forgotten");
        client.server.delete("taken");
        takeElsewhere("taken");
        comeBack();
        toldOf(2, 1, 1, 1);
    }

    @Test
    void nothingIsReportedBeforeAllOutcomesAreKnown() {
        acquire("held");
        breakDown();
        isSilentAbout(Command.Renew.class);
        comeBack();
        assertThat(told).isEmpty();
        answersAgain();
        pass(5_000);
        toldOf(1, 0, 0, 0);
    }

    @Test
    void aHoldWhoseLeaseEndsMeanwhileIsLost() {
        acquire("held");
        breakDown();
        isSilent();
        comeBack();
        pass(10_000);
        toldOf(0, 0, 1, 0);
    }

    @Test
    void aHoldReleasedMeanwhileIsNoLongerAwaited() {
        Lease held = acquire("held");
        breakDown();
        isSilentAbout(Command.Renew.class);
        comeBack();
        held.release();
        toldOf(0, 0, 0, 0);
    }

    @Test
    void aSecondOutageEndsTheCountOfTheFirst() {
        acquire("held");
        breakDown();
        isSilentAbout(Command.Renew.class);
        comeBack();
        breakDown();
        answersAgain();
        comeBack();
        assertThat(told).hasSize(2);
        assertThat(told.get(0).kept() + told.get(1).kept()).isEqualTo(1);
    }

    @Test
    void aRestoreAnsweredLateStillCountsAsARestore() {
        acquire("held");
        breakDown();
        client.server.delete("held");
        isSilentAbout(Command.Restore.class);
        comeBack();
        assertThat(told).isEmpty();
        answersAgain();
        pass(5_000);
        toldOf(0, 1, 0, 0);
    }

    @Test
    void aHoldIsCountedEvenIfAnAcquireFailsMeanwhile() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        isSilentAbout(Command.Acquire.class);
        pass(5_000); // it asks once more
        Command.Acquire asked = sent(Command.Acquire.class).get(1);
        freeElsewhere();
        assertThat(granted(wish).isValid()).isTrue();
        breakDown();
        isSilentAbout(Command.Renew.class);
        comeBack();
        answered(asked, 5_000, new Reply.Failed(false, BROKEN));
        assertThat(told).isEmpty();
        answersAgain();
        pass(5_000);
        toldOf(1, 0, 0, 0);
    }
}
