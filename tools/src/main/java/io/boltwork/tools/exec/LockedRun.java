// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.connect.StoreOptions;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One run of a command under a lease: it ends the command before the lease ends, and the lease after the command. */
final class LockedRun {

    /*
     *           lease lost, or too little is left of it
     *   RUNNING ───────────────────────────────────────▶ ENDING (TERM, grace, KILL)
     *      │                                                │
     *      └──────────────── the command has ended ─────────┴──▶ released ──▶ exit code
     *
     * Renewals keep two thirds of a lease at least, so less than the grace is left only if they fail. Then TERM comes
     * one grace and one margin before the deadline, and KILL one margin before it. The margin is for a busy machine. If
     * TERM is late, the grace is shorter. A lease that was taken is over already: TERM comes at once, and KILL after
     * the grace.
     *
     * A clock decides about KILL, twice: here, where only a line must be written to the pipe, and in the supervisor, in
     * case this JVM ends meanwhile.
     */

    /** The variable that keeps the value of LC_ALL if the launcher has changed it for this JVM. */
    private static final String LOCALE = "BOLTWORK_LC_ALL";

    /** Names of variables with secrets, or that would lead the command to the store. */
    private static final Set<String> NOT_FOR_THE_COMMAND = StoreOptions.variables();

    private static final long LOOK_MILLIS = 20;

    /**
     * KILL comes a margin before the end of the lease: this part of it, but not more than is needed on a busy machine.
     */
    private static final int MARGIN_PART = 10;

    private static final Duration LONGEST_MARGIN = Duration.ofSeconds(2);

    private final Lease lease;
    private final Duration length;
    private final Duration grace;
    private final PrintWriter err;

    /** The end of the lease by {@link System#nanoTime()}, as it was at the last look that found enough of it. */
    private volatile long deadline;

    private enum State {
        RUNNING,
        /** It is being ended, because the lock is no longer certain. */
        ENDED,
        /** It has come to its end while the lock was certain. */
        WHOLE
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

    LockedRun(Lease lease, Duration length, Duration grace, PrintWriter err) {
        this.lease = lease;
        this.length = length;
        this.grace = grace;
        this.err = err;
    }

    /**
     * Runs a command to its end. Returns the exit code of boltwork.
     *
     * @param isPrepared whether the launcher's supervisor runs it, whose last arguments are the command
     */
    int run(List<String> command, boolean isPrepared, SignalInbox signals) throws InterruptedException {
        try {
            confirm();
        } catch (LeaseLostException lost) {
            state.set(State.ENDED);
            say(lost.getMessage() + "; the command was not started");
            return finish(0);
        }
        deadline = System.nanoTime() + lease.remaining().toNanos();
        ScheduledExecutorService clock = clock();
        int code;
        try (RunningCommand running = start(command, isPrepared)) {
            signals.passTo(running);
            lease.whenLost().thenAccept(loss -> end(running, clock, () -> lossText(loss)));
            clock.scheduleWithFixedDelay(() -> look(running, clock), 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
            code = running.await();
            state.compareAndSet(State.RUNNING, State.WHOLE); // a late look finds a lease that is being released
        } finally {
            clock.shutdownNow();
        }
        return finish(code);
    }

    /** Two threads, because one may be writing a message when KILL is due. */
    private static ScheduledExecutorService clock() {
        return new ScheduledThreadPoolExecutor(
                2,
                task -> {
                    Thread thread = new Thread(task, "boltwork-exec-lease");
                    thread.setDaemon(true);
                    return thread;
                },
                new ThreadPoolExecutor.DiscardPolicy()); // the command has ended
    }

    /**
     * Makes the lease whole. A lease that was granted to a waiter lasts for some seconds only, until its owner confirms
     * it.
     */
    private void confirm() {
        if (lease.remaining().compareTo(length.dividedBy(2)) < 0) {
            lease.extend(length);
        }
    }

    private RunningCommand start(List<String> command, boolean isPrepared) {
        if (isPrepared) {
            return SupervisedCommand.startPrepared(command.size(), grace, NOT_FOR_THE_COMMAND, this::changeEnvironment);
        }
        boolean isWindows = System.getProperty("os.name").startsWith("Windows");
        return isWindows
                ? PlainCommand.start(command, grace, this::changeEnvironment)
                : SupervisedCommand.start(command, grace, this::changeEnvironment);
    }

    /** Changes the environment of this process to that of the command. Values that stay keep their bytes. */
    private void changeEnvironment(Map<String, String> environment) {
        String locale = environment.get(LOCALE);
        if (locale != null && locale.isEmpty()) {
            environment.remove("LC_ALL");
        } else if (locale != null) {
            environment.put("LC_ALL", locale);
        }
        environment.keySet().removeAll(NOT_FOR_THE_COMMAND);
        environment.remove(LOCALE);
        environment.put("BOLTWORK_LOCK", lease.lockName());
        environment.put("BOLTWORK_TOKEN", Long.toString(lease.fencingToken()));
        environment.put(
                "BOLTWORK_DEADLINE",
                Long.toString(Instant.now().plus(lease.remaining()).getEpochSecond()));
    }

    private void look(RunningCommand running, ScheduledExecutorService clock) {
        Duration left = lease.remaining();
        if (left.compareTo(grace.plus(margin())) > 0) {
            deadline = System.nanoTime() + left.toNanos();
        } else {
            end(running, clock, () -> lease.isValid() ? "could not be renewed" : loss());
        }
    }

    private Duration margin() {
        Duration part = length.dividedBy(MARGIN_PART);
        return part.compareTo(LONGEST_MARGIN) < 0 ? part : LONGEST_MARGIN;
    }

    /** Returns the time until KILL. The lease ends after it, unless the lease has been lost before its time. */
    private Duration untilKill() {
        Duration left = Duration.ofNanos(deadline - System.nanoTime()).minus(margin());
        if (left.isNegative()) {
            return Duration.ZERO;
        }
        return left.compareTo(grace) < 0 && lease.isValid() ? left : grace;
    }

    /** Returns how the lease was lost. It may be lost a moment before its listeners hear of it. */
    private String loss() {
        return lease.whenLost()
                .thenApply(LockedRun::lossText)
                .toCompletableFuture()
                .completeOnTimeout("was lost", 1, TimeUnit.SECONDS)
                .join();
    }

    private static String lossText(LeaseLoss loss) {
        return "was lost: " + loss.reason();
    }

    private void end(RunningCommand running, ScheduledExecutorService clock, Supplier<String> why) {
        if (state.compareAndSet(State.RUNNING, State.ENDED)) {
            Duration untilKill = untilKill();
            running.end(untilKill); // first, because the reason may not be known yet
            clock.schedule(() -> running.signal("KILL"), untilKill.toNanos(), TimeUnit.NANOSECONDS);
            say("the lock '" + lease.lockName() + "' " + why.get() + "; the command is being ended");
        }
    }

    private int finish(int code) {
        boolean whole = state.get() == State.WHOLE;
        try {
            lease.release();
        } catch (LeaseLostException lost) {
            if (whole) {
                say(lost.getMessage());
            }
            whole = false;
        }
        if (!whole) {
            say("exit code " + ExitCode.LOST + ": the command lost its lock before it ended");
            return ExitCode.LOST;
        }
        if (code == ExitCode.REFUSED || code == ExitCode.LOST) {
            say("exit code " + code + " is the command's own");
        }
        return code;
    }

    private void say(@Nullable String message) {
        err.println("boltwork: " + message);
        err.flush();
    }
}
