// SPDX-License-Identifier: Apache-2.0
/**
 * Locks on Redis 6.2 or later, through Lettuce. {@link io.boltwork.redis.RedisBackend} is the entry point, and {@link
 * io.boltwork.redis.RedisOptions} configures it.
 *
 * <p>The rules of a lock are Lua scripts; the server executes each of them as one atomic step. This package sends the
 * scripts, maintains the connections and interprets the replies. It never repeats a command.
 *
 * <p>The packages below this one are not API. Their types are public only for one another.
 */
@NullMarked
package io.boltwork.redis;

import org.jspecify.annotations.NullMarked;
