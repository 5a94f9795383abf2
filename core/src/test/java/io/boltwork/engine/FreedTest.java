// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockFreed;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A backend that shares locks with another program says that one may be free. */
class FreedTest extends EngineScene {

    private void hearThatItIsFree(String lock) {
        client.engine.backendWatch.freed(LockFreed.withoutTime(lock, time().run()));
    }

    @Test
    void waitersThatShareARequestAskAtOnce() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> first = wish(TEN);
        CompletableFuture<Lease> second = wish(TEN);
        forget();
        hearThatItIsFree("lock");
        assertThat(asked()).containsExactly("c:1");
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
    }

    @Test
    void theFirstOfManyRequestsAsksForAll() {
        holdElsewhere(60_000);
        wish(FIFO);
        wish(FIFO);
        wish(FIFO);
        forget();
        hearThatItIsFree("lock");
        assertThat(asked()).containsExactly("c:1");
    }

    @Test
    void aRequestThatAwaitsAnAnswerAsksAfterIt() {
        holdElsewhere(60_000);
        isSilent();
        wish(TEN);
        Command.Acquire asked = sent(Command.Acquire.class).get(0);
        hearThatItIsFree("lock");
        assertThat(asked()).hasSize(1);
        answersAgain();
        answered(asked, now(), client.execute(asked));
        assertThat(asked()).containsExactly("c:1", "c:1");
    }

    @Test
    void aLockThatNobodyHereWantsIsNotAskedFor() {
        Lease lease = acquire(TEN);
        forget();
        hearThatItIsFree("lock");
        hearThatItIsFree("another");
        assertThat(sent).isEmpty();
        assertThat(lease.isValid()).isTrue();
    }
}
