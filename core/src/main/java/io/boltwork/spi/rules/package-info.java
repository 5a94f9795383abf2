// SPDX-License-Identifier: Apache-2.0
/**
 * The rules of the protocol, for stores that can read, change and write the record of a lock atomically. They use no
 * clock, no threads and no storage.
 *
 * <p>{@link io.boltwork.spi.rules.LockRules} changes a {@link io.boltwork.spi.rules.LockRecord}. The Lua scripts of the
 * Redis backend contain the same rules, and a test compares both forms.
 */
@NullMarked
package io.boltwork.spi.rules;

import org.jspecify.annotations.NullMarked;
