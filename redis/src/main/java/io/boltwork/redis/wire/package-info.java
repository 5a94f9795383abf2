// SPDX-License-Identifier: Apache-2.0
/**
 * The bytes on the wire, without connections: commands in Redis' protocol, replies, the codes of the scripts, messages,
 * and the names of keys, channels and slots.
 *
 * <p>This package is not API: its types are public only for the other packages of this module, and may change at any
 * time.
 */
@NullMarked
package io.boltwork.redis.wire;

import org.jspecify.annotations.NullMarked;
