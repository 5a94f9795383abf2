// SPDX-License-Identifier: Apache-2.0
/**
 * Guards: the side of the resource. A guard remembers the largest fencing token of each resource and refuses a write
 * with a smaller one, so that a holder which was stopped for longer than its lease changes nothing when it goes on.
 *
 * <p>{@link io.boltwork.fence.JdbcFence} keeps tokens in a database, {@link io.boltwork.fence.RedisFence} in Redis.
 * Both throw {@link io.boltwork.fence.StaleTokenException}. A guard needs no lock client: only the token.
 */
@NullMarked
package io.boltwork.fence;

import org.jspecify.annotations.NullMarked;
