// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Receives the signals of this JVM. While the lock is awaited, a signal ends the wait. While the command runs,
 * each is passed on once. A second INT ends the command. Thread-safe.
 */
final class SignalInbox {
    private static final Map<String, Integer> NUMBERS = Map.of("HUP", 1, "INT", 2, "TERM", 15);

    private final Thread waiting;
    private final Set<String> received = new LinkedHashSet<>();
    private @Nullable RunningCommand command;
    private @Nullable String endedBy;

    /** Creates an inbox whose signals interrupt a thread until there is a command. */
    SignalInbox(Thread waiting) {
        this.waiting = waiting;
    }

    /** Takes a signal. */
    synchronized void receive(String name) {
        boolean isFirst = received.add(name);
        if (command == null) {
            if (NUMBERS.containsKey(name) && endedBy == null) {
                endedBy = name;
                waiting.interrupt();
            }
        } else if (isFirst) {
            command.signal(name);
        } else if (name.equals("INT")) {
            command.end();
        }
    }

    /** Passes signals to a command from now on. */
    synchronized void passTo(RunningCommand running) {
        command = running;
        if (endedBy != null) { // it came after the grant
            running.signal(endedBy);
        }
    }

    /** Returns the exit code of a wait that a signal has ended. */
    synchronized int exitCode() {
        return 128 + NUMBERS.getOrDefault(endedBy == null ? "INT" : endedBy, 2);
    }

    @Override
    public synchronized String toString() {
        return List.copyOf(received).toString();
    }
}
