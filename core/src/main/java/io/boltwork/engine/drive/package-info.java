// SPDX-License-Identifier: Apache-2.0
/**
 * Runs machines: a mailbox for each lock and latch in use, and the renewal of leases. Uses the machine and the room
 * {@code client}.
 */
@NullMarked
package io.boltwork.engine.drive;

import org.jspecify.annotations.NullMarked;
