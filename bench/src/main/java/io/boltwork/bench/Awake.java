package io.boltwork.bench;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Keeps processors from sleeping, with a process for each that runs only when nothing else wants to (Linux' {@code
 * SCHED_IDLE}). A processor that sleeps takes tens of microseconds to wake, a virtual one more: that would be measured, and
 * whoever wastes processor time would be fastest. Not thread-safe.
 */
final class Awake implements AutoCloseable {
    private static final List<String> LOWEST = List.of("chrt", "--idle", "0", "nice", "-n", "19");

    /** It looks now and then whether the process that started it lives, so that it ends with it however that ends. */
    private static final String SPIN = "while kill -0 %d; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done";

    /** The processes of all of them: what these do is nobody's work. */
    private static final Set<Long> PIDS = ConcurrentHashMap.newKeySet();

    private final List<Process> spinners = new ArrayList<>();

    /** Whether this machine can. */
    static boolean isPossible() {
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

    /** Until closed, if it is possible. */
    Awake() {
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
                    throw new IllegalStateException("No process can be started that keeps a processor awake", e);
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

    /** The processes that keep this machine awake now. Thread-safe. */
    static Set<Long> pids() {
        return Set.copyOf(PIDS);
    }

    /** Ends them. */
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
