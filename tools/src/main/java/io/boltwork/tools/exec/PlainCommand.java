// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A command where there is no POSIX shell, as on Windows: it is ended while this JVM lives, but survives it. */
final class PlainCommand implements RunningCommand {
    private final Process process;
    private final Duration grace;

    private PlainCommand(Process process, Duration grace) {
        this.process = process;
        this.grace = grace;
    }

    static PlainCommand start(List<String> command, Duration grace, Consumer<Map<String, String>> environment) {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        environment.accept(builder.environment());
        try {
            return new PlainCommand(builder.start(), grace);
        } catch (IOException failed) {
            throw new UncheckedIOException("The command could not be started: " + failed.getMessage(), failed);
        }
    }

    @Override
    public void signal(String name) {
        process.destroy(); // the only signal there
    }

    @Override
    public void end() {
        end(grace);
    }

    @Override
    public void end(Duration untilKill) {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        Thread killer = new Thread(
                () -> {
                    try {
                        if (!process.waitFor(untilKill.toMillis(), TimeUnit.MILLISECONDS)) {
                            close();
                        }
                    } catch (InterruptedException end) {
                        close();
                    }
                },
                "boltwork-exec-grace");
        killer.setDaemon(true);
        killer.start();
    }

    @Override
    public int await() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
