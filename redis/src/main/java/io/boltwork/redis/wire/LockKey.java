// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import io.boltwork.LockKind;

/** The lock that a key belongs to. */
public record LockKey(LockKind kind, String lock) {}
