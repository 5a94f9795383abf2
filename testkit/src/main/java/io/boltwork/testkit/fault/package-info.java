// SPDX-License-Identifier: Apache-2.0
/**
 * Faults of processes, of Redis itself and of connections, which a test injects and heals. Uses the rooms {@code wait}
 * and {@code server}.
 */
@NullMarked
package io.boltwork.testkit.fault;

import org.jspecify.annotations.NullMarked;
