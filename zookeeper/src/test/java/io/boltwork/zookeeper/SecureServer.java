// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.zookeeper.server.ZooKeeperServerMain;

/** A ZooKeeper server in a JVM of its own, which has a port for TLS and no other. */
final class SecureServer implements AutoCloseable {
    private final ChildJvm server;
    private final int port;

    /**
     * Starts a server.
     *
     * @param directory a directory for its files
     * @param clientAuth {@code need} if clients must have a certificate, otherwise {@code none}
     */
    SecureServer(Path directory, Certificates certificates, String clientAuth) {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
            socket.close();
            Path own = joined(directory.resolve("server.pem"), certificates.server(), certificates.serverKey());
            Path config = directory.resolve("zoo.cfg");
            Files.writeString(
                    config,
                    String.join(
                            "\n",
                            "tickTime=500",
                            "dataDir=" + Files.createDirectories(directory.resolve("data")),
                            "secureClientPort=" + port,
                            "secureClientPortAddress=127.0.0.1",
                            "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                            "ssl.keyStore.location=" + own,
                            "ssl.keyStore.type=PEM",
                            "ssl.trustStore.location=" + certificates.authority(),
                            "ssl.trustStore.type=PEM",
                            "ssl.clientAuth=" + clientAuth,
                            "admin.enableServer=false"));
            server = ChildJvm.start(
                    ZooKeeperServerMain.class,
                    List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                    List.of(config.toString()));
            Await.within(Duration.ofSeconds(60), "the server listens", this::listens);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a certificate and its key to one file. */
    static Path joined(Path file, Path certificate, Path key) throws IOException {
        return Files.writeString(file, Files.readString(certificate) + Files.readString(key));
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    String connectString() {
        return "127.0.0.1:" + port;
    }

    @Override
    public void close() {
        server.close();
    }
}
