// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.BackendException;
import io.boltwork.DistributedLatch;
import io.boltwork.LockException;
import io.boltwork.engine.Callers;
import io.boltwork.engine.Engine;
import io.boltwork.machine.latch.LatchChange;
import io.boltwork.machine.latch.LatchWaiter;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.Durations;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.LatchOutcome;
import io.boltwork.spi.Utf8;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The latch of one name as its users see it: a view of the engine, without state of its own. */
public final class EngineLatch implements DistributedLatch {

    private static final long NOT_AT_ALL = 0;
    private static final int LONGEST_PARTICIPANT = 1_024;

    /** Begins the id of a change by a participant, and no id that a client makes. */
    private static final String PARTICIPANT = "p:";

    private final Engine engine;
    private final String name;

    public EngineLatch(Engine engine, String name) {
        this.engine = engine;
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    // ================================================================ changes

    @Override
    public boolean trySetCount(int count) {
        return isDone(answer(setting(count)));
    }

    @Override
    public void countDown() {
        counted(answer(LatchChange.countDown(engine.latches.newChange())));
    }

    @Override
    public void countDown(String participant) {
        counted(answer(byParticipant(participant)));
    }

    @Override
    public CompletionStage<Boolean> trySetCountAsync(int count) {
        return answerAsync(setting(count), EngineLatch::isDone);
    }

    @Override
    public CompletionStage<Void> countDownAsync() {
        return answerAsync(LatchChange.countDown(engine.latches.newChange()), this::counted);
    }

    @Override
    public CompletionStage<Void> countDownAsync(String participant) {
        return answerAsync(byParticipant(participant), this::counted);
    }

    private LatchChange setting(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("count must be 1 or more, but is " + count);
        }
        return LatchChange.set(engine.latches.newChange(), count);
    }

    private static LatchChange byParticipant(String participant) {
        Objects.requireNonNull(participant, "participant");
        int bytes = Utf8.length("participant", participant);
        if (bytes < 1 || bytes > LONGEST_PARTICIPANT) {
            throw new IllegalArgumentException(
                    "participant must have 1 to " + LONGEST_PARTICIPANT + " bytes in UTF-8, but has " + bytes);
        }
        return LatchChange.countDown(PARTICIPANT + participant);
    }

    private static boolean isDone(Reply.Latched reply) {
        return reply.outcome() == LatchOutcome.DONE || reply.outcome() == LatchOutcome.OPEN;
    }

    private @Nullable Void counted(Reply.Latched reply) {
        if (reply.outcome() == LatchOutcome.UNKNOWN) {
            throw new IllegalStateException(Printable.text("The count of the latch '" + name
                    + "' was never set, or the server has forgotten it: call trySetCount before countDown"));
        }
        return null;
    }

    private Reply.Latched answer(LatchChange change) {
        engine.latches.change(name, change);
        long patience = engine.core.timing.outagePatience() + 2 * engine.core.timing.commandTimeout();
        if (!engine.callers.sleep(change.outcome, patience)) {
            throw stalled();
        }
        return reply(change.outcome.value());
    }

    private <T extends @Nullable Object> CompletionStage<T> answerAsync(
            LatchChange change, Function<Reply.Latched, T> result) {
        CompletableFuture<T> future = new CompletableFuture<>();
        change.outcome.then(() -> callBack(future, () -> result.apply(reply(change.outcome.value()))));
        engine.latches.change(name, change);
        return future;
    }

    private static Reply.Latched reply(LatchChange.Result result) {
        if (result instanceof LatchChange.Failed failed) {
            throw Callers.again(failed.cause());
        }
        return ((LatchChange.Answered) result).reply();
    }

    // ================================================================ waiting

    @Override
    public int count() {
        return ((Reply.Latched) engine.ask(new LatchCommand.Await(name, "", 0, false))).count();
    }

    @Override
    public void await() throws InterruptedException {
        await(Ticker.NEVER);
    }

    @Override
    public boolean await(Duration wait) throws InterruptedException {
        return await(Durations.nanos("wait", wait));
    }

    private boolean await(long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        LatchWaiter waiter = new LatchWaiter(nanos == NOT_AT_ALL);
        engine.latches.await(name, waiter);
        long start = engine.core.ticker.nanos();
        long patience = patience(nanos);
        boolean interrupted = false;
        while (!waiter.outcome.isDecided()) {
            long left = patience == Ticker.NEVER ? Ticker.NEVER : patience - (engine.core.ticker.nanos() - start);
            if (left <= 0 || interrupted) {
                giveUp(waiter, !interrupted);
                if (!engine.callers.sleep(waiter.outcome, engine.core.timing.commandTimeout())) {
                    throw stalled();
                }
                break;
            }
            engine.callers.sleepInterruptibly(waiter.outcome, left);
            interrupted = Thread.interrupted();
        }
        LatchWaiter.Result result = waiter.outcome.value();
        if (interrupted) {
            if (result == LatchWaiter.Ended.GIVEN_UP) {
                throw new InterruptedException(
                        "Interrupted while waiting for the latch '" + Printable.text(name) + "'");
            }
            Thread.currentThread().interrupt();
        }
        return isOpen(result);
    }

    /** Returns how long to wait for the server: to ask once takes a round trip. */
    private long patience(long nanos) {
        return nanos == NOT_AT_ALL ? engine.core.timing.commandTimeout() : nanos;
    }

    private void giveUp(LatchWaiter waiter, boolean timedOut) {
        engine.latches.post(name, driver -> driver.machine.giveUp(waiter, timedOut));
    }

    private static boolean isOpen(LatchWaiter.Result result) {
        if (result instanceof LatchWaiter.Failed failed) {
            throw Callers.again(failed.cause());
        }
        return result == LatchWaiter.Ended.OPEN;
    }

    @Override
    public CompletionStage<Void> awaitAsync() {
        return new Wait<@Nullable Void>(Ticker.NEVER, open -> null).post();
    }

    @Override
    public CompletionStage<Boolean> awaitAsync(Duration wait) {
        return new Wait<>(Durations.nanos("wait", wait), open -> open).post();
    }

    /** A wait without a thread. */
    private final class Wait<T extends @Nullable Object> extends WithdrawableFuture<T> {
        private final LatchWaiter waiter;
        private final long nanos;
        private final Function<Boolean, T> result;

        Wait(long nanos, Function<Boolean, T> result) {
            this.waiter = new LatchWaiter(nanos == NOT_AT_ALL);
            this.nanos = nanos;
            this.result = result;
        }

        @Override
        public Wait<T> post() {
            waiter.outcome.then(() -> engine.latches.callBack(name, this::end));
            engine.latches.await(name, waiter);
            if (nanos != Ticker.NEVER) {
                Future<?> timer = engine.core.scheduler.schedule(() -> giveUp(waiter, true), patience(nanos));
                whenComplete((value, failure) -> timer.cancel(false));
            }
            return this;
        }

        private void end() {
            try {
                fulfil(result.apply(isOpen(waiter.outcome.value())));
            } catch (LockException failure) {
                fail(failure);
            }
        }

        @Override
        public void withdraw() {
            giveUp(waiter, false);
        }
    }

    // ================================================================ failures and callbacks

    private <T extends @Nullable Object> void callBack(CompletableFuture<T> future, Supplier<T> value) {
        engine.latches.callBack(name, () -> {
            try {
                future.complete(value.get());
            } catch (RuntimeException failure) {
                future.completeExceptionally(failure);
            }
        });
    }

    private BackendException stalled() {
        return new BackendException(
                "This client has made no progress with the latch '" + name
                        + "': an error cut its work short, or one of its threads is stalled",
                true,
                null);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof EngineLatch that && engine == that.engine && name.equals(that.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode() * 31 + System.identityHashCode(engine);
    }

    @Override
    public String toString() {
        return "DistributedLatch['" + Printable.text(name) + "']";
    }
}
