// SPDX-License-Identifier: Apache-2.0
/** Locks on ZooKeeper: {@link io.boltwork.zookeeper.ZooKeeperBackend}. */
@NullMarked
package io.boltwork.zookeeper;

import org.jspecify.annotations.NullMarked;
