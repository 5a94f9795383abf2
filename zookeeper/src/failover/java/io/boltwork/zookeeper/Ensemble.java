// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/** Three servers of ZooKeeper in JVMs of their own, one of which is the leader. */
final class Ensemble implements AutoCloseable {
    private static final int SIZE = 3;
    private static final int PORTS = 3;

    private final Path directory;
    private final int[] ports = new int[SIZE * PORTS];
    private final List<ChildJvm> servers = new ArrayList<>();

    Ensemble(Path directory) {
        this.directory = directory;
        for (int i = 0; i < ports.length; i++) {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                ports[i] = socket.getLocalPort();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        for (int i = 0; i < SIZE; i++) {
            servers.add(start(i));
        }
        Await.within(Duration.ofSeconds(60), "there is a leader", () -> leader() >= 0);
    }

    private ChildJvm start(int server) {
        Path data = directory.resolve("data" + server);
        Path config = directory.resolve("zoo" + server + ".cfg");
        String members = IntStream.range(0, SIZE)
                .mapToObj(i -> "server." + (i + 1) + "=127.0.0.1:" + ports[SIZE + i] + ":" + ports[2 * SIZE + i])
                .collect(Collectors.joining("\n"));
        try {
            Files.createDirectories(data);
            Files.writeString(data.resolve("myid"), String.valueOf(server + 1));
            Files.writeString(
                    config,
                    "tickTime=300\ninitLimit=30\nsyncLimit=5\ndataDir=" + data + "\nclientPort=" + ports[server]
                            + "\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n" + members + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ChildJvm.start(
                QuorumPeerMain.class,
                List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dzookeeper.forceSync=no"),
                List.of(config.toString()));
    }

    String connectString() {
        return IntStream.range(0, SIZE).mapToObj(i -> "127.0.0.1:" + ports[i]).collect(Collectors.joining(","));
    }

    /** Returns the number of the leader; -1 if there is none. */
    int leader() {
        for (int i = 0; i < SIZE; i++) {
            if (status(i).contains("Mode: leader")) {
                return i;
            }
        }
        return -1;
    }

    private String status(int server) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), ports[server])) {
            socket.setSoTimeout(300);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException silent) {
            return "";
        }
    }

    /** Kills the leader. Returns its number. */
    int killLeader() {
        int killed = leader();
        servers.get(killed).close();
        return killed;
    }

    void restart(int server) {
        servers.set(server, start(server));
    }

    /** Freezes the leader. Returns its number. */
    int freezeLeader() {
        int frozen = leader();
        servers.get(frozen).freeze();
        return frozen;
    }

    void thaw(int server) {
        servers.get(server).thaw();
    }

    @Override
    public void close() {
        servers.forEach(ChildJvm::close);
    }
}
