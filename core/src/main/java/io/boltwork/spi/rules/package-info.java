/**
 * The rules of the protocol, for stores that can read, change and write the record of a lock atomically. Pure: no clock, no
 * threads, no storage.
 *
 * <p>{@link io.boltwork.spi.rules.LockRules} changes a {@link io.boltwork.spi.rules.LockRecord}. The Lua scripts of the Redis
 * backend are the same rules in another language; a test compares the two.
 */
@NullMarked
package io.boltwork.spi.rules;

import org.jspecify.annotations.NullMarked;
