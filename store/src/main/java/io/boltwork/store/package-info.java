// SPDX-License-Identifier: Apache-2.0
/**
 * A backend on any store that can read a record with a version and write it if the version is unchanged: a database,
 * ZooKeeper, etcd, a map. {@link io.boltwork.store.RecordStore} is all that it needs to know of the store.
 */
@NullMarked
package io.boltwork.store;

import org.jspecify.annotations.NullMarked;
