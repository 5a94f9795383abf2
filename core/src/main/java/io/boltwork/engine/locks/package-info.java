// SPDX-License-Identifier: Apache-2.0
/**
 * The objects that users have in their hands: locks, conditions, semaphores, latches, leases, and futures of them. Uses
 * all rooms of the engine that run locks; a user's thread blocks in {@code Callers} only.
 */
@NullMarked
package io.boltwork.engine.locks;

import org.jspecify.annotations.NullMarked;
