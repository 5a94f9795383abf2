// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.latch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.boltwork.BackendException;
import io.boltwork.LockException;
import io.boltwork.machine.request.LockTiming;
import io.boltwork.machine.request.Promise;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.LatchOutcome;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.rules.ServerClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractThrowableAssert;

/**
 * A latch in one client without a server: tests read what it sends, and answer. Times are in milliseconds; the server's
 * clock is a second ahead.
 */
class LatchScene {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    static final long AHEAD = 1_000;
    static final long TIMEOUT = 500;
    static final long PATIENCE = 30_000;

    /** The pause before something is sent again that has failed: 100 ms and half of the random part. */
    static final long PAUSE = 150;

    static final BackendException BRIEFLY = new BackendException("no route", true, null);
    static final BackendException FOR_GOOD = new BackendException("no right", false, null);

    final List<LatchCommand> sent = new ArrayList<>();
    private final ServerClock clock = new ServerClock("run");
    long now;
    final LatchMachine machine = new LatchMachine(new Effects());

    LatchScene() {
        clock.read(AHEAD, 0, 0);
    }

    private final class Effects implements LatchEffects {
        private final LockTiming timing = new LockTiming(TIMEOUT * MILLI, MILLI, PATIENCE * MILLI, 0, 4);

        @Override
        public String latch() {
            return "latch";
        }

        @Override
        public String client() {
            return "client";
        }

        @Override
        public void send(LatchCommand command) {
            sent.add(command);
        }

        @Override
        public long now() {
            return now * MILLI;
        }

        @Override
        public LockTiming timing() {
            return timing;
        }

        @Override
        public ServerClock serverClock() {
            return clock;
        }

        @Override
        public long random(long bound) {
            return bound / 2;
        }

        @Override
        public <T> void decide(Promise<T> outcome, T value) {
            outcome.decide(value);
        }
    }

    LatchWaiter await() {
        LatchWaiter waiter = new LatchWaiter(false);
        machine.await(waiter);
        return waiter;
    }

    /** Begins a wait, and answers that the latch is closed. */
    LatchWaiter closed(long generation) {
        LatchWaiter waiter = await();
        answer(question(0), LatchOutcome.CLOSED, generation);
        return waiter;
    }

    LatchChange change(LatchChange change) {
        machine.change(change);
        return change;
    }

    /** Takes the only command that was sent, which is a question about a generation. */
    LatchCommand question(long generation) {
        LatchCommand command = command();
        assertThat(command).isEqualTo(new LatchCommand.Await("latch", "client", generation, true));
        return command;
    }

    LatchCommand command() {
        assertThat(sent).hasSize(1);
        return sent.remove(0);
    }

    void answer(LatchCommand command, LatchOutcome outcome, long generation) {
        machine.answered(command, reply(AHEAD + now, outcome, generation));
    }

    static Reply.Latched reply(long millis, LatchOutcome outcome, long generation) {
        return new Reply.Latched(new ServerTime(millis, "run"), outcome, 1, generation, 0);
    }

    void fail(LatchCommand command, BackendException cause) {
        machine.answered(command, new Reply.Failed(false, cause));
    }

    void open(long generation) {
        machine.opened(new LatchOpened("latch", generation, new ServerTime(AHEAD + now, "run")));
    }

    void tickAt(long millis) {
        now = millis;
        machine.tick();
    }

    long wakesAt() {
        return machine.wakeAt() / MILLI;
    }

    static void outcome(LatchChange change, LatchOutcome outcome) {
        assertThat(change.outcome.value())
                .asInstanceOf(type(LatchChange.Answered.class))
                .extracting(answered -> answered.reply().outcome())
                .isEqualTo(outcome);
    }

    static AbstractThrowableAssert<?, LockException> failure(LatchChange change) {
        return assertThat(((LatchChange.Failed) change.outcome.value()).cause());
    }

    static AbstractThrowableAssert<?, LockException> failure(LatchWaiter waiter) {
        return assertThat(((LatchWaiter.Failed) waiter.outcome.value()).cause());
    }
}
