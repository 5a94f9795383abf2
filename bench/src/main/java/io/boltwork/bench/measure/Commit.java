// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Determines the version of the measured code from git. Commits that change only documents do not count. Stateless. */
public final class Commit {
    private static final String UNKNOWN = "unknown";
    private static final List<String> CODE = List.of(
            "pom.xml",
            "core/src/main",
            "quorum/src/main",
            "store/src/main",
            "redis/src/main",
            "jdbc/src/main",
            "zookeeper/src/main",
            "etcd/src/main",
            "testkit/src/main",
            "bench/src/main",
            "bench/pom.xml",
            "bench/run");

    private Commit() {}

    /** Returns the last commit that changed the code, with a digest of uncommitted changes if there are any. */
    public static String current() {
        String commit = git("log", "-1", "--format=%h", "--abbrev=10");
        String changes = git("diff", "HEAD");
        String added = git("ls-files", "--others", "--exclude-standard");
        if (commit.isEmpty() || commit.equals(UNKNOWN)) {
            return UNKNOWN;
        }
        return changes.isEmpty() && added.isEmpty()
                ? commit
                : commit + " with changes " + Integer.toHexString((changes + added).hashCode());
    }

    private static String git(String... arguments) {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        command.add("--");
        command.addAll(CODE);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? text.strip() : UNKNOWN;
        } catch (IOException e) {
            return UNKNOWN; // no git
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }
}
