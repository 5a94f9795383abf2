// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** The recipe of ZooKeeper's documentation by hand: a node for each client, which ends with the client's session. */
final class EphemeralNodeLock {
    private final ZooKeeper zooKeeper;
    private final String parent;

    EphemeralNodeLock(ZooKeeper zooKeeper, String parent) {
        this.zooKeeper = zooKeeper;
        this.parent = parent;
    }

    /** Returns when the owner's node is the first one. Each client watches the node before its own. */
    String lock(String owner) throws KeeperException, InterruptedException {
        byte[] data = owner.getBytes(StandardCharsets.UTF_8);
        String path = zooKeeper.create(parent + "/", data, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
        String mine = path.substring(parent.length() + 1);
        while (true) {
            List<String> nodes =
                    zooKeeper.getChildren(parent, false).stream().sorted().toList();
            int place = nodes.indexOf(mine);
            if (place == 0) {
                return path; // the session may end from here on
            }
            CountDownLatch gone = new CountDownLatch(1);
            if (zooKeeper.exists(parent + "/" + nodes.get(place - 1), event -> gone.countDown()) != null) {
                gone.await();
            }
        }
    }

    void unlock(String path) throws KeeperException, InterruptedException {
        zooKeeper.delete(path, -1);
    }
}
