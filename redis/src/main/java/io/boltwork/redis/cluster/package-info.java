// SPDX-License-Identifier: Apache-2.0
/**
 * The masters of a Redis Cluster: which slots each of them has, and the routing of commands to them.
 *
 * <p>This package is not API: its types are public only for the other packages of this module, and may change at any
 * time.
 */
@NullMarked
package io.boltwork.redis.cluster;

import org.jspecify.annotations.NullMarked;
