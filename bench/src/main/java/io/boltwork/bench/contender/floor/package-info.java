// SPDX-License-Identifier: Apache-2.0
/**
 * The limits that no lock on Redis passes: plain commands over Lettuce, and a lock inside one JVM. Uses the room
 * {@code contender}.
 */
@NullMarked
package io.boltwork.bench.contender.floor;

import org.jspecify.annotations.NullMarked;
