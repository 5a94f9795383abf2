/**
 * Locks on Redis 6.2 or later, through Lettuce: {@link io.boltwork.redis.RedisBackend} is all a user needs.
 *
 * <p>The rules are Lua scripts that the server executes, one atomic step each; this package sends them, keeps the
 * connections up and says what the answers mean. It never repeats a command by itself.
 */
@NullMarked
package io.boltwork.redis;

import org.jspecify.annotations.NullMarked;
