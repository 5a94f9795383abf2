// SPDX-License-Identifier: Apache-2.0
/**
 * Watches over the whole connection to the backend: outages and recoveries, the client's announcement, releases that
 * are repeated, progress. Uses the rooms {@code client} and {@code drive}.
 */
@NullMarked
package io.boltwork.engine.watch;

import org.jspecify.annotations.NullMarked;
