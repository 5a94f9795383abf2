// SPDX-License-Identifier: Apache-2.0
/**
 * The work of one measurement, the JVMs that do it, and the servers that they use. Uses the entrants and all rooms
 * below them.
 */
@NullMarked
package io.boltwork.bench.job;

import org.jspecify.annotations.NullMarked;
