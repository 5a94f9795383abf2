// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Receives the signals of this JVM. While the lock is awaited, a signal ends the wait if it would end most programs.
 * Afterwards, each is passed on to the command. A second INT ends the command. Thread-safe.
 */
final class SignalInbox {
    /** Signals that a waiting program does not end by. */
    private static final Set<String> HARMLESS = Set.of("CONT", "WINCH", "TTIN", "TTOU");

    private final Thread waiting;

    private enum Phase {
        /** The lock is awaited. */
        WAITING,
        /** The wait ended by a signal. */
        ENDED,
        /** The lock is held, and the command may not have begun. */
        GRANTED
    }

    private Phase phase = Phase.WAITING;
    private final List<String> early = new ArrayList<>();
    private @Nullable RunningCommand command;
    private int endedBy;
    private boolean isInterrupted;

    /** Creates an inbox whose signals interrupt a thread until the lock is granted. */
    SignalInbox(Thread waiting) {
        this.waiting = waiting;
    }

    /** Returns whether most programs do not end by a signal. */
    static boolean isHarmless(String name) {
        return HARMLESS.contains(name);
    }

    /** Takes a signal. */
    synchronized void receive(String name, int number) {
        switch (phase) {
            case WAITING -> {
                if (!isHarmless(name)) {
                    phase = Phase.ENDED;
                    endedBy = number;
                    waiting.interrupt();
                }
            }
            case ENDED -> {}
            case GRANTED -> {
                if (command == null) {
                    early.add(name);
                } else {
                    pass(name, command);
                }
            }
        }
    }

    private void pass(String name, RunningCommand running) {
        if (name.equals("INT") && isInterrupted) {
            running.end();
            return;
        }
        isInterrupted |= name.equals("INT");
        running.signal(name);
    }

    /**
     * Ends the wait, because the lock was granted. The command gets later signals.
     *
     * @throws InterruptedException if a signal has ended the wait already
     */
    synchronized void granted() throws InterruptedException {
        if (phase == Phase.ENDED) {
            throw new InterruptedException("a signal ended the wait");
        }
        phase = Phase.GRANTED;
    }

    /** Passes signals to a command from now on. */
    synchronized void passTo(RunningCommand running) {
        command = running;
        early.forEach(name -> pass(name, running));
    }

    /** Returns the exit code of a wait that a signal has ended. */
    synchronized int exitCode() {
        return 128 + endedBy;
    }

    @Override
    public synchronized String toString() {
        return phase + " " + early;
    }
}
