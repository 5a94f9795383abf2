// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.contract.LockSite;
import io.boltwork.spi.LockBackend;
import io.boltwork.store.RecordKey;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooKeeper;

/** A ZooKeeper server in a JVM of its own. */
final class ZooKeeperSite implements LockSite {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    static final StorePaths PATHS = new StorePaths("/boltwork");

    /** One server for all tests of this JVM, with which it ends. */
    private static final ZooKeeperSite SHARED = new ZooKeeperSite();

    private final int port = freePort();
    private ChildJvm server;
    private ZooKeeper admin;

    /** An action of an administrator. */
    interface Action<T> {
        T with(ZooKeeper client) throws InterruptedException, KeeperException;
    }

    ZooKeeperSite() {
        start();
    }

    static ZooKeeperSite shared() {
        return SHARED;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void start() {
        server = ChildJvm.start(
                ZooKeeperServerJvm.class,
                List.of(
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dzookeeper.forceSync=no",
                        "-Dzookeeper.admin.enableServer=false"),
                List.of(String.valueOf(port)));
        answered();
    }

    private void answered() {
        try {
            if (server.nextLine(PATIENCE) == null) {
                throw new IllegalStateException("The server has not answered");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns two names of the server: a client with one would wait for a second before it connects again. */
    String connectString() {
        return "127.0.0.1:" + port + ",localhost:" + port;
    }

    static ZooKeeperOptions options() {
        return ZooKeeperOptions.defaults()
                .withCommandTimeout(Slack.of(Duration.ofMillis(700)))
                .withSessionTimeout(Slack.of(Duration.ofSeconds(4)));
    }

    @Override
    public LockBackend newBackend() {
        return ZooKeeperBackend.connect(connectString(), options());
    }

    /** Does something as an administrator, again if the session has ended. */
    <T> T admin(Action<T> action) {
        for (int i = 0; ; i++) {
            try {
                if (admin == null || !admin.getState().isAlive()) {
                    admin = new ZooKeeper(connectString(), 10_000, event -> {});
                }
                return action.with(admin);
            } catch (KeeperException.ConnectionLossException | KeeperException.SessionExpiredException lost) {
                if (i > 20) {
                    throw new IllegalStateException(lost);
                }
            } catch (IOException | KeeperException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static List<String> children(ZooKeeper client, String path) throws KeeperException, InterruptedException {
        try {
            return client.getChildren(path, false);
        } catch (KeeperException.NoNodeException none) {
            return List.of();
        }
    }

    /** Deletes a record as a sweep does: the version of its bucket is raised, so that versions do not repeat. */
    private static void delete(ZooKeeper client, String path) throws KeeperException, InterruptedException {
        String bucket = path.substring(0, path.lastIndexOf('/'));
        try {
            client.multi(List.of(Op.setData(bucket, new byte[0], -1), Op.delete(path, -1)));
        } catch (KeeperException.NoNodeException none) { // as it should be
        }
    }

    @Override
    public void flush() {
        admin(client -> {
            for (String path : records(client)) {
                delete(client, path);
            }
            return true;
        });
    }

    /** Returns the paths of all records. */
    static List<String> records(ZooKeeper client) throws KeeperException, InterruptedException {
        List<String> buckets = new ArrayList<>();
        for (RecordKey.Kind kind : RecordKey.Kind.values()) {
            for (String bucket : children(client, PATHS.kind(kind))) {
                buckets.add(PATHS.bucket(kind, bucket));
            }
        }
        List<CompletableFuture<List<String>>> asked = new ArrayList<>();
        for (String bucket : buckets) { // all requests at once, because most buckets are empty
            CompletableFuture<List<String>> answer = new CompletableFuture<>();
            client.getChildren(
                    bucket,
                    false,
                    (AsyncCallback.ChildrenCallback)
                            (code, path, context, names) -> answer.complete(names == null ? List.of() : names),
                    null);
            asked.add(answer);
        }
        List<String> found = new ArrayList<>();
        for (int i = 0; i < buckets.size(); i++) {
            for (String name : asked.get(i).join()) {
                found.add(buckets.get(i) + "/" + name);
            }
        }
        return found;
    }

    @Override
    public void deleteLock(String name) {
        admin(client -> {
            for (RecordKey.Kind kind : RecordKey.Kind.values()) {
                delete(client, PATHS.record(new RecordKey(kind, name)));
            }
            return true;
        });
    }

    @Override
    public void freeze() {
        server.freeze();
    }

    @Override
    public void thaw() {
        server.thaw();
    }

    @Override
    public void disconnectAll() {
        server.send("disconnect");
        answered();
    }

    @Override
    public void restartEmpty() {
        server.close();
        admin = null; // the new server would refuse it, because it has seen later transactions
        start();
    }

    @Override
    public int listeners() {
        return admin(client -> children(client, PATHS.allAlive()).size());
    }
}
