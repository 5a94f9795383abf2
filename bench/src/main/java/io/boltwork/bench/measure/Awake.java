// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Keeps processors awake with one process per processor that runs only when no other process wants to (Linux's {@code
 * SCHED_IDLE}). A sleeping processor takes tens of microseconds to wake, a virtual one longer. Otherwise the bench
 * would measure this delay, and a contender that wastes processor time would be fastest. Not thread-safe.
 */
public final class Awake implements AutoCloseable {
    private static final List<String> LOWEST = List.of("chrt", "--idle", "0", "nice", "-n", "19");

    /**
     * Checks regularly whether the process that started this one is alive, so that this one ends with it in every case.
     */
    private static final String SPIN = "while kill -0 %d; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done";

    /** The processes of all instances. Their work is not counted as foreign. */
    private static final Set<Long> PIDS = ConcurrentHashMap.newKeySet();

    private final List<Process> spinners = new ArrayList<>();

    /** Returns whether this machine supports it. */
    public static boolean isPossible() {
        try {
            List<String> command = new ArrayList<>(LOWEST);
            command.add("true");
            return quietly(command).waitFor() == 0;
        } catch (IOException e) {
            return false; // no such command
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Keeps processors awake until closed, if this machine supports it. */
    public Awake() {
        if (isPossible()) {
            List<String> command = new ArrayList<>(LOWEST);
            command.addAll(List.of(
                    "sh", "-c", String.format(SPIN, ProcessHandle.current().pid())));
            for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                try {
                    Process spinner = quietly(command);
                    spinners.add(spinner);
                    PIDS.add(spinner.pid());
                } catch (IOException e) {
                    close();
                    throw new IllegalStateException("Cannot start a process that keeps a processor awake", e);
                }
            }
        }
    }

    private static Process quietly(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
    }

    /** Returns the processes that keep this machine awake now. Thread-safe. */
    public static Set<Long> pids() {
        return Set.copyOf(PIDS);
    }

    /** Ends the processes. */
    @Override
    public void close() {
        spinners.forEach(Process::destroyForcibly);
        boolean interrupted = false;
        for (Process spinner : spinners) {
            try {
                spinner.waitFor(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        spinners.forEach(spinner -> PIDS.remove(spinner.pid()));
        spinners.clear();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
