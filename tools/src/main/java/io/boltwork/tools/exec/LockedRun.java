package io.boltwork.tools.exec;

import io.boltwork.Lease;
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
    private final Duration grace;
    private final PrintWriter err;

    /** Why the command was ended; {@code null} while it was not. */
    private final AtomicReference<@Nullable String> ended = new AtomicReference<>();

    LockedRun(Lease lease, Duration grace, PrintWriter err) {
        this.lease = lease;
        this.grace = grace;
        this.err = err;
    }

    /** Runs a command to its end. Returns the exit code of boltwork. */
    int run(List<String> command, SignalInbox signals) throws InterruptedException {
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "boltwork-exec-lease");
            thread.setDaemon(true);
            return thread;
        });
        int code;
        try (RunningCommand running = start(command)) {
            signals.passTo(running);
            lease.whenLost().thenAccept(loss -> end(running, "was lost: " + loss.reason()));
            clock.scheduleWithFixedDelay(() -> look(running), 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
            code = running.await();
        } finally {
            clock.shutdownNow();
        }
        return finish(code);
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
            end(running, lease.isValid() ? "could not be renewed" : "was lost");
        }
    }

    private void end(RunningCommand running, String why) {
        if (ended.compareAndSet(null, why)) {
            say("the lock '" + lease.lockName() + "' " + why + "; the command is being ended");
            running.end();
        }
    }

    private int finish(int code) {
        try {
            lease.release();
        } catch (LeaseLostException lost) {
            if (ended.compareAndSet(null, "was lost")) {
                say(lost.getMessage());
            }
        }
        if (ended.get() != null) {
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
