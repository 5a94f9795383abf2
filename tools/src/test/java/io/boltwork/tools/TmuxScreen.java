// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A terminal of a fixed size in which a command runs, as its user sees it. Each one has a tmux server of its own. */
public final class TmuxScreen implements AutoCloseable {
    private final String server = "boltwork-" + UUID.randomUUID();

    private TmuxScreen() {}

    /** Returns whether there is a tmux on this machine. */
    public static boolean isInstalled() {
        try {
            return new ProcessBuilder("tmux", "-V").start().waitFor() == 0;
        } catch (IOException absent) {
            return false;
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Runs a command of the shell. When it has ended, the screen shows its exit code and stays. */
    public static TmuxScreen run(int columns, int rows, String command) {
        TmuxScreen screen = new TmuxScreen();
        screen.tmux(
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                Integer.toString(columns),
                "-y",
                Integer.toString(rows),
                "trap : INT; " + command + "; echo \"exit code $?\"; exec sleep 1000");
        return screen;
    }

    /** Types keys, by tmux' names for them, such as {@code C-c} and {@code Enter}. */
    public void type(String... keys) {
        List<String> command = new ArrayList<>(List.of("send-keys"));
        command.addAll(List.of(keys));
        tmux(command.toArray(String[]::new));
    }

    /** Returns what the screen shows. */
    public String text() {
        return tmux("capture-pane", "-p");
    }

    /** Returns the lines that the screen shows. */
    public List<String> lines() {
        return text().lines().toList();
    }

    private String tmux(String... args) {
        List<String> command = new ArrayList<>(List.of("tmux", "-L", server));
        command.addAll(List.of(args));
        try {
            Process tmux = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(tmux.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (tmux.waitFor() != 0) {
                throw new IllegalStateException(command + " failed: " + output);
            }
            return output;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(end);
        }
    }

    @Override
    public void close() {
        tmux("kill-server");
    }
}
