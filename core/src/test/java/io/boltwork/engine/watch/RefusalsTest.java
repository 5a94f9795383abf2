// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests from which answers a client concludes that its backend refuses commands. */
class RefusalsTest {
    private final List<String> told = new ArrayList<>();
    private long now;
    private boolean connected = true;
    private final Refusals refusals = new Refusals(() -> now, () -> connected, why -> "No: " + why, told::add);

    private void pass(long seconds) {
        now += TimeUnit.SECONDS.toNanos(seconds);
    }

    private void fails(String message, boolean isRetryable) {
        refusals.answered(new Reply.Failed(false, new BackendException(message, isRetryable, null)));
    }

    private void answers(Verdict verdict) {
        refusals.answered(new Reply.Acquired(new ServerTime(1, "run"), verdict, 1, 0, 0, false, null));
    }

    @Test
    void errorsThatLastMakeTheBackendUnusable() {
        fails("full", true);
        assertThat(refusals.warning()).isNull(); // it may pass
        fails("full", true);
        assertThat(refusals.warning()).isEqualTo("No: full");
        assertThat(refusals.isLasting()).isFalse();
        pass(5);
        assertThat(refusals.isLasting()).isTrue();
        answers(Verdict.GRANTED);
        assertThat(refusals.warning()).isNull();
        assertThat(refusals.isLasting()).isFalse();
        assertThat(told).containsExactly("No: full");
    }

    @Test
    void errorsAmongSuccessesDoNot() {
        for (int i = 0; i < 100; i++) {
            fails("wrong type", false);
            pass(1);
            assertThat(refusals.isLasting()).isFalse();
            answers(Verdict.QUEUED);
        }
        assertThat(told).hasSizeBetween(2, 3); // once a minute
    }

    @Test
    void lockThatIsTakenProvesNothing() {
        fails("no right", false);
        pass(6);
        answers(Verdict.REFUSED);
        assertThat(refusals.isLasting()).isTrue();
    }

    @Test
    void errorIsForgottenIfNothingIsAskedAnyMore() {
        fails("no right", false);
        pass(59);
        assertThat(refusals.isLasting()).isTrue();
        pass(1);
        assertThat(refusals.warning()).isNull();
        fails("no right", false);
        assertThat(refusals.isLasting()).isFalse(); // counted anew
        pass(5);
        assertThat(refusals.isLasting()).isTrue();
    }

    @Test
    void failuresOfAnOutageAreNoRefusals() {
        connected = false;
        fails("not connected", true);
        fails("not connected", true);
        assertThat(refusals.warning()).isNull();
        assertThat(told).isEmpty();
    }
}
