// SPDX-License-Identifier: Apache-2.0
/** Locks on etcd. {@link io.boltwork.etcd.EtcdBackend} is the way in. */
@NullMarked
package io.boltwork.etcd;

import org.jspecify.annotations.NullMarked;
