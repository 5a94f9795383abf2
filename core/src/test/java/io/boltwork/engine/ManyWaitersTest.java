// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.state.ManyRequests;
import io.boltwork.spi.Announce;
import io.boltwork.spi.Command;
import io.boltwork.spi.Command.RequestCommand;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Very many FIFO waiters of one client: the commands under way, their order, and the cost of each event. */
class ManyWaitersTest extends EngineScene {

    private static final int LIMIT = LockMachine.UNDER_WAY;

    /** The limit of commands under way, without those that cannot wait. */
    private static final int IN_LINE_AFTER = LIMIT - LIMIT / 16;

    /** The commands that were sent and not answered yet. */
    private final Deque<RequestCommand<?>> open = new ArrayDeque<>();

    private int mostOpen;

    ManyWaitersTest() {
        client.wire = command -> { // the scene's wire keeps all commands and allows few at a moment
            sent.add(command);
            return client.execute(command);
        };
    }

    /** Makes the backend answer commands about locks only on request. */
    private void isSlow() {
        client.wire = command -> {
            if (command instanceof Announce) {
                return client.execute(command); // not about a lock, and irrelevant here
            }
            sent.add(command);
            if (command instanceof Announce) {
                return client.execute(command);
            }
            open.add((RequestCommand<?>) command);
            mostOpen = Math.max(mostOpen, open.size());
            return null;
        };
    }

    /** Answers all open commands, and those that are sent because of the answers. */
    private void answersAll() {
        for (RequestCommand<?> next; (next = open.poll()) != null; ) {
            answers(next);
        }
    }

    private void answers(RequestCommand<?> command) {
        long now = client.now();
        Reply reply = client.execute(command);
        happens(machine -> machine.answered(command, now, reply));
    }

    private List<CompletableFuture<Lease>> wishes(int count) {
        List<CompletableFuture<Lease>> wishes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            wishes.add(wish(FIFO));
        }
        return wishes;
    }

    private List<String> queue() {
        return look().queue().stream()
                .map(QueryReply.Inspected.Waiting::request)
                .toList();
    }

    private long looked() {
        ManyRequests many = machine().requests.many();
        return many == null ? 0 : many.looked();
    }

    @Test
    void atMost64CommandsOfOneLockAreUnderWay() {
        holdElsewhere(60_000);
        isSlow();
        wishes(1_000);
        assertThat(open).hasSize(IN_LINE_AFTER);
        answersAll();
        assertThat(mostOpen).isEqualTo(IN_LINE_AFTER);
        assertThat(asked()).hasSize(1_000).doesNotHaveDuplicates();
        assertThat(queue()).as("in the order of their arrival").isEqualTo(asked());
    }

    @Test
    void cancellationsOfAllAreSpreadOutToo() {
        holdElsewhere(60_000);
        isSlow();
        List<CompletableFuture<Lease>> wishes = wishes(1_000);
        for (int i = 0; i < 500; i++) {
            answers(open.remove());
        }
        forget();
        wishes.forEach(wish -> wish.cancel(false));
        assertThat(open).as("commands under way; the withdrawals wait for them").hasSize(IN_LINE_AFTER);
        mostOpen = 0;
        answersAll();
        assertThat(mostOpen).isLessThanOrEqualTo(LIMIT);
        assertThat(asked()).as("acquires that were not sent before").isEmpty();
        assertThat(withdrawn()).hasSize(500 + IN_LINE_AFTER).doesNotHaveDuplicates();
        assertThat(queue()).isEmpty();
        assertThat(machine().requests.isEmpty()).isTrue();
    }

    @Test
    void aWithdrawalWaitsForAMissingAnswerUntilTheTimeout() {
        holdElsewhere(60_000);
        isSlow();
        List<CompletableFuture<Lease>> wishes = wishes(1_000);
        wishes.forEach(wish -> wish.cancel(false));
        forget();
        open.clear();
        pass(2_000);
        assertThat(withdrawn()).as("after the command timeout").hasSize(IN_LINE_AFTER);
        answersAll();
        pass(5_000);
        answersAll();
        assertThat(machine().requests.isEmpty()).isTrue();
    }

    @Test
    void theOldestAskFirstAfterAReconnection() {
        holdElsewhere(60_000);
        wishes(1_000);
        List<String> order = asked();
        client.server.delete("lock");
        holdElsewhere(60_000);
        isSlow();
        forget();
        client.engine.backendWatch.connected(time());
        assertThat(open).hasSize(IN_LINE_AFTER);
        answersAll();
        assertThat(mostOpen).isEqualTo(IN_LINE_AFTER);
        assertThat(asked()).isEqualTo(order);
        assertThat(queue()).isEqualTo(order);
    }

    @Test
    void commandsOnALostConnectionBlockNoOthers() {
        holdElsewhere(60_000);
        isSlow();
        wishes(1_000);
        List<String> order = new ArrayList<>(asked());
        open.clear();
        forget();
        client.engine.backendWatch.connected(time());
        answersAll();
        assertThat(asked()).startsWith(order.toArray(new String[0])).hasSize(1_000);
        assertThat(queue()).isEqualTo(asked());
    }

    @Test
    void aReleaseExecutedBeforeItsRepetitionIsNotALoss() {
        Lease lease = acquire(FIFO);
        wishes(1_000);
        isSlow();
        forget();
        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        client.execute(open.remove()); // its answer does not arrive
        client.engine.backendWatch.connected(time());
        assertThat(sent(Command.Release.class)).as("sent again").hasSize(2);
        assertThat(released).isNotDone();
        answersAll();
        assertThat(released).isCompleted();
    }

    @Test
    void aForgottenQueueIsEnteredAgainInItsOrder() {
        holdElsewhere(60_000);
        List<CompletableFuture<Lease>> wishes = wishes(1_000);
        List<String> order = asked();
        client.server.delete("lock");
        isSlow();
        forget();
        pass(5_000);
        assertThat(asked()).as("the oldest polls").containsExactly(order.get(0));
        answersAll();
        granted(wishes.get(0));
        assertThat(mostOpen).isLessThanOrEqualTo(LIMIT);
        assertThat(asked().stream().distinct().toList()).isEqualTo(order);
        assertThat(queue()).isEqualTo(order.subList(1, 1_000));
    }

    @Test
    void aWaiterInLineKnowsThatTheLockIsTaken() {
        holdElsewhere(60_000);
        wish(FIFO);
        isSlow();
        wishes(1_000);
        CompletableFuture<Optional<Lease>> timed =
                client.lock(FIFO).tryAcquireAsync(Duration.ofMillis(10)).toCompletableFuture();
        pass(10);
        assertThat(timed).isCompletedWithValue(Optional.empty());
    }

    @Test
    void aWaiterInLineIsToldThatTheBackendIsSilent() {
        isSlow();
        wishes(1_000);
        CompletableFuture<Optional<Lease>> timed =
                client.lock(FIFO).tryAcquireAsync(Duration.ofMillis(10)).toCompletableFuture();
        pass(10);
        assertThat(timed).isCompletedExceptionally();
    }

    @Test
    void closingEndsAllWaitsAndWithdrawsInTurn() {
        holdElsewhere(60_000);
        List<CompletableFuture<Lease>> wishes = wishes(1_000);
        mostOpen = 0;
        client.delay = 1;
        happens(LockMachine::close);
        pass(1_000);
        assertThat(wishes).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(queue()).isEmpty();
        assertThat(withdrawn()).hasSize(1_000).doesNotHaveDuplicates();
    }

    @Test
    void anOutageEndsAllWaits() {
        isSlow();
        List<CompletableFuture<Lease>> wishes = wishes(1_000);
        pass(31_000);
        CompletableFuture<Lease> late = wish(FIFO);
        pass(1);
        assertThat(wishes).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(late).as("its outage patience begins now").isNotDone();
    }

    @Test
    void theOutagePatienceCountsFromTheArrivalInTheLine() {
        isSlow();
        List<CompletableFuture<Lease>> wishes = wishes(1_000);
        pass(2_500); // none of the commands under way was answered
        wishes.forEach(wish -> wish.cancel(false));
        pass(500);
        CompletableFuture<Lease> late = wish(FIFO);
        pass(29_999);
        assertThat(late).isNotDone();
        pass(1);
        assertThat(late).isCompletedExceptionally();
    }

    @Test
    void noEventExaminesAllRequests() {
        int count = 20_000;
        holdElsewhere(3_600_000);
        long most = 0; // 17 when the limit of few requests is passed
        List<CompletableFuture<Lease>> wishes = wishes(1);
        for (int i = 0; i < count; i++) {
            long before = looked();
            wishes.add(wish(FIFO));
            most = Math.max(most, looked() - before);
        }
        assertThat(most).as("requests examined because of a new one").isLessThan(25);
        for (int i = 0; i < 100; i++) {
            long before = looked();
            pass(5_000);
            most = Math.max(most, looked() - before);
        }
        assertThat(most).as("requests examined because of a poll").isLessThan(25);
        for (CompletableFuture<Lease> wish : wishes.subList(0, 1_000)) {
            long before = looked();
            wish.cancel(false);
            most = Math.max(most, looked() - before);
        }
        assertThat(most).as("requests examined because of a cancellation").isLessThan(25);
    }
}
