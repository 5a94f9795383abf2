/** Locks on ZooKeeper: ZooKeeperBackend. */
@NullMarked
package io.boltwork.zookeeper;

import org.jspecify.annotations.NullMarked;
