package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Rules of the engine for grants by message: from when they count, and what they prove. */
class GrantRulesTest extends EngineScene {

    @Test
    void aGrantIsCountedFromTheServersTimeInTheNewestAnswer() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        stall(1_000);
        Grant grant = new Grant("lock", "c:1", 7_000, 3_000, time());
        stall(500); // on its way
        client.engine.granted(grant);
        assertThat(granted(wish).remaining()).isEqualTo(Duration.ofMillis(2_500 - 40 - 2));
    }

    @Test
    void anOlderAnswerTellsNoTime() {
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        Command.Acquire acquire = firstAcquire();
        stall(1_000);
        answered(acquire, 1_000, queued(60_000, 1, false));
        answered(
                acquire,
                0,
                new Acquired(new ServerTime(0, "another run"), Verdict.QUEUED, 0, 9_000, 1, true, "other:1"));
        stall(500);
        client.engine.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        assertThat(granted(wish).remaining()).isEqualTo(Duration.ofMillis(3_000 - 35 - 2));
    }

    @Test
    void aGrantBeforeTheFirstAnswerIsCountedFromTheFirstQuestion() {
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        stall(500);
        client.engine.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        assertThat(granted(wish).remaining()).isEqualTo(Duration.ofMillis(2_500 - 30 - 2));
    }

    @Test
    void aGrantThatCannotBeCountedIsConfirmedFirst() {
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        client.engine.connected(time()); // the answer may have been lost
        forget();
        client.engine.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        assertThat(wish).isNotDone();
        assertThat(asked()).containsExactly("c:1");
        answersAgain();
        pass(2_000);
        assertThat(wish).isCompleted();
    }

    @Test
    void aGrantOfAnotherServerRunIsConfirmedFirst() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        forget();
        client.engine.granted(new Grant("lock", "c:1", 7_000, 3_000, new ServerTime(time().millis(), "another")));
        assertThat(wish).isNotDone();
        assertThat(asked()).containsExactly("c:1");
    }

    @Test
    void aGrantAfterAJumpOfTheServersClockIsCountedFromNow() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        stall(500);
        client.server.advance(Duration.ofSeconds(30));
        client.engine.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        assertThat(granted(wish).remaining()).isEqualTo(Duration.ofMillis(3_000 - 35 - 2));
    }

    private void grantThatCannotBeCounted() {
        client.engine.granted(new Grant("lock", "c:1", 7_000, 3_000, new ServerTime(time().millis(), "another")));
    }

    @Test
    void aRequestThatWasGrantedByMessageIsWithdrawn() {
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        grantThatCannotBeCounted();
        Command.Acquire second = sent(Command.Acquire.class).get(1);
        answered(firstAcquire(), 0, new Acquired(time(), Verdict.STALE, 0, 0, 0, true, "c:1"));
        answered(second, 0, new Reply.Failed(false, BROKEN));
        forget();
        wish.cancel(false);
        assertThat(withdrawn())
                .as("no acquire is open, but the server knows it")
                .containsExactly("c:1");
    }

    @Test
    void aGrantByMessageIsADefiniteAnswer() {
        isSilent();
        wish(TEN);
        grantThatCannotBeCounted();
        CompletableFuture<Optional<Lease>> later = tries(1_000);
        pass(1_000);
        assertThat(later).isCompletedWithValue(Optional.empty());
    }

    @Test
    void aRequestThatWasGrantedByMessageStoodInTheQueue() {
        holdElsewhere(60_000);
        isSilent();
        wish(FIFO);
        Command.Acquire granted = firstAcquire();
        answersAgain();
        wish(FIFO);
        isSilent();
        grantThatCannotBeCounted();
        forget();
        answered(granted, 0, queued(55_000, 1, false)); // its claim has lapsed, and c:2 left the queue with it
        assertThat(asked()).containsExactly("c:2");
    }

    @Test
    void aGrantFromBeforeTheServerWasReplacedIsConfirmedFirst() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        Grant grant = new Grant("lock", "c:1", 7_000, 3_000, time());
        isSilent();
        client.engine.connected(new ServerTime(time().millis(), "another"));
        forget();
        client.engine.granted(grant);
        assertThat(wish).isNotDone();
        assertThat(asked()).containsExactly("c:1");
    }

    @Test
    void anAnswerThatWasGivenBeforeAConnectionWasReplacedStillTellsTheTime() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        isSilent();
        client.engine.connected(time());
        client.engine.granted(new Grant("lock", "c:1", 7_000, 3_000, time()));
        assertThat(wish).isCompleted();
    }

    @Test
    void aShortClaimIsConfirmedAtOnce() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = wish(TEN);
        String request = firstAcquire().request();
        isSilentAbout(Command.Renew.class);
        forget();
        Grant grant = new Grant("lock", request, 7_000_000_000_000_000L, 300, time());
        happens(machine -> machine.granted(grant));
        granted(wish);
        assertThat(sent(Command.Renew.class)).hasSize(1);
    }
}
