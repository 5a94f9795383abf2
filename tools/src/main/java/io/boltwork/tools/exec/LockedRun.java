// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.tools.ExitCode;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
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
     * Renewals keep two thirds of a lease at least, so less than the grace is left only if they fail. Then TERM comes before the
     * deadline, and KILL at it. A lease that was taken is over already: TERM comes at once, and KILL after the grace.
     */

    /** Names of variables with secrets, or that would lead the command to the store. */
    private static final Set<String> NOT_FOR_THE_COMMAND = Set.of("BOLTWORK_URI", "BOLTWORK_PASSWORD");

    private static final long LOOK_MILLIS = 20;

    private final Lease lease;
    private final Duration length;
    private final Duration grace;
    private final PrintWriter err;

    private enum State {
        RUNNING,
        /** It is being ended, because the lock is not certain any more. */
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

    /** Runs a command to its end. Returns the exit code of boltwork. */
    int run(List<String> command, SignalInbox signals) throws InterruptedException {
        try {
            confirm();
        } catch (LeaseLostException lost) {
            state.set(State.ENDED);
            say(lost.getMessage() + "; the command was not started");
            return finish(0);
        }
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "boltwork-exec-lease");
            thread.setDaemon(true);
            return thread;
        });
        int code;
        try (RunningCommand running = start(command)) {
            signals.passTo(running);
            lease.whenLost().thenAccept(loss -> end(running, () -> lossText(loss)));
            clock.scheduleWithFixedDelay(() -> look(running), 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
            code = running.await();
            state.compareAndSet(State.RUNNING, State.WHOLE); // a late look finds a lease that is being released
        } finally {
            clock.shutdownNow();
        }
        return finish(code);
    }

    /** Makes the lease whole. A lease that was granted to a waiter lasts for some seconds only, until its owner confirms it. */
    private void confirm() {
        if (lease.remaining().compareTo(length.dividedBy(2)) < 0) {
            lease.extend(length);
        }
    }

    private RunningCommand start(List<String> command) {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.keySet().removeAll(NOT_FOR_THE_COMMAND);
        environment.put("BOLTWORK_LOCK", lease.lockName());
        environment.put("BOLTWORK_TOKEN", Long.toString(lease.fencingToken()));
        environment.put(
                "BOLTWORK_DEADLINE",
                Long.toString(Instant.now().plus(lease.remaining()).getEpochSecond()));
        boolean isWindows = System.getProperty("os.name").startsWith("Windows");
        return isWindows
                ? PlainCommand.start(command, grace, environment)
                : SupervisedCommand.start(command, grace, environment);
    }

    private void look(RunningCommand running) {
        if (lease.remaining().compareTo(grace) <= 0) {
            end(running, () -> lease.isValid() ? "could not be renewed" : loss());
        }
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

    private void end(RunningCommand running, Supplier<String> why) {
        if (state.compareAndSet(State.RUNNING, State.ENDED)) {
            running.end(); // first, because the reason may not be known yet
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
            say("exit code " + ExitCode.LOST + ": the command did not have the lock to its end");
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
