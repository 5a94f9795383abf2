// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;

/** A replica of an embedded server, with the same program and another wall clock. */
final class ShiftedReplica implements AutoCloseable {
    private final Process process;
    private final int port;

    /** Starts a replica whose clock differs by a number of seconds, and waits until it follows its master. */
    ShiftedReplica(RedisServer master, int seconds, Path directory) throws IOException {
        assumeTrue(isPossible(), "a shifted clock needs faketime, which is not installed");
        String program = String.valueOf(master.command("INFO", "server"))
                .lines()
                .filter(line -> line.startsWith("executable:"))
                .map(line -> line.substring("executable:".length()))
                .findFirst()
                .orElseThrow();
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        process = new ProcessBuilder(
                        "faketime",
                        "-f",
                        (seconds < 0 ? "" : "+") + seconds + "s",
                        program,
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--dir",
                        directory.toString(),
                        "--save",
                        "",
                        "--replicaof",
                        "127.0.0.1",
                        Integer.toString(master.port()))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("replica.log").toFile())
                .start();
        Await.until("a replica", () -> "1".equals(ReplicaGroup.field(master, "connected_slaves")));
    }

    int port() {
        return port;
    }

    static boolean isPossible() {
        try {
            return new ProcessBuilder("faketime", "--version")
                            .redirectErrorStream(true)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException absent) {
            return false;
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
