// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A process that ends with this JVM, even if this JVM is killed, and whose directory is deleted then. Thread-safe. */
final class ChildProcess {
    /*
     * A shell acts as a guard: it reads from a pipe that only this JVM writes to. A line means that the process has
     * been dealt with. The end of the pipe means that this JVM is gone, even by SIGKILL, when no shutdown hook runs.
     */
    private static final String GUARD =
            "trap '' INT TERM HUP; if read -r line; then exit 0; fi; kill -9 \"$0\" 2>/dev/null; rm -rf \"$1\"";

    private final Process process;
    private final Process guard;

    /**
     * Starts a process.
     *
     * @param builder the process to start
     * @param directory the directory to delete if this JVM ends first
     */
    ChildProcess(ProcessBuilder builder, Path directory) throws IOException {
        process = builder.start();
        try {
            guard = new ProcessBuilder("sh", "-c", GUARD, Long.toString(process.pid()), directory.toString())
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    Process process() {
        return process;
    }

    long pid() {
        return process.pid();
    }

    /** Returns the process id and that of its guard. */
    Set<Long> processes() {
        return Set.of(process.pid(), guard.pid());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Kills the process (SIGKILL) and returns when it is gone. Idempotent. */
    void kill() {
        process.destroyForcibly();
        awaitExit(Duration.ofSeconds(30));
        dismissGuard();
    }

    /** Ends the process by SIGTERM, or by SIGKILL if it has not ended in time. */
    void terminate(Duration patience) {
        process.destroy();
        end(patience);
    }

    /** Ends the process by SIGINT, or by SIGKILL if it has not ended in time. */
    void interrupt(Duration patience) {
        if (isAlive()) {
            signal("INT");
        }
        end(patience);
    }

    private void end(Duration patience) {
        if (!await(patience)) {
            process.destroyForcibly();
            awaitExit(Duration.ofSeconds(30));
        }
        dismissGuard();
    }

    /** Suspends the process (SIGSTOP) and returns when it has stopped. */
    void freeze() {
        signal("STOP");
        Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (isAlive() && Files.isReadable(stat) && !isStopped(stat)) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("Process " + process.pid() + " did not stop within 10 s of SIGSTOP");
            }
            LockSupport.parkNanos(100_000);
        }
    }

    /** Resumes the process (SIGCONT). */
    void thaw() {
        signal("CONT");
    }

    /** Suspends the process and then all processes that it has started, so that it starts no other meanwhile. */
    void freezeAll() {
        freeze();
        signalStarted("STOP");
    }

    /** Resumes the process and all processes that it has started. */
    void thawAll() {
        signalStarted("CONT");
        thaw();
    }

    /** Kills the process and all processes that it has started, and returns when they are gone. Idempotent. */
    void killAll() {
        List<ProcessHandle> started = process.descendants().toList();
        kill();
        started.forEach(ProcessHandle::destroyForcibly);
        started.forEach(each -> each.onExit().join());
    }

    /** Sends a signal to the processes that this one has started. Some of them may end meanwhile. */
    private void signalStarted(String name) {
        for (ProcessHandle each : process.descendants().toList()) {
            try {
                signal(name, each.pid());
            } catch (IllegalStateException failed) {
                if (each.isAlive()) {
                    throw failed;
                }
            }
        }
    }

    private void signal(String name) {
        signal(name, process.pid());
    }

    private static void signal(String name, long pid) {
        try {
            int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IllegalStateException("kill -" + name + " " + pid + " failed with " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while sending SIG" + name, e);
        }
    }

    private static boolean isStopped(Path stat) {
        try {
            String line = Files.readString(stat);
            return line.startsWith("T", line.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return false;
        }
    }

    private void awaitExit(Duration patience) {
        if (!await(patience)) {
            throw new IllegalStateException("Process " + process.pid() + " did not end within " + patience);
        }
    }

    /**
     * Waits for the end and keeps the interrupt status. Interrupts do not end the wait, because a process must never be
     * left behind.
     */
    boolean await(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void dismissGuard() {
        try (OutputStream pipe = guard.getOutputStream()) {
            pipe.write('\n');
        } catch (IOException e) {
            guard.destroyForcibly(); // it has already ended
        }
    }
}
