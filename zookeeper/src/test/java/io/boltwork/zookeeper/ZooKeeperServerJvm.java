// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/** A ZooKeeper server in a JVM of its own, which closes all connections when it reads a line. */
final class ZooKeeperServerJvm {
    static final int TICK = 500;

    private ZooKeeperServerJvm() {}

    /** Starts a server with a port, and with its data in the directory of this JVM. */
    public static void main(String[] args) throws Exception {
        File data = new File("data");
        ZooKeeperServer server = new ZooKeeperServer(new FileTxnSnapLog(data, data), TICK, "");
        ServerCnxnFactory connections = ServerCnxnFactory.createFactory(Integer.parseInt(args[0]), -1);
        connections.startup(server);
        System.out.println("started");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (in.readLine() != null) {
            connections.closeAll(ServerCnxn.DisconnectReason.CLOSE_ALL_CONNECTIONS_FORCED);
            System.out.println("closed");
        }
    }
}
