// SPDX-License-Identifier: Apache-2.0
/**
 * Finds deadlocks, long holds and long waits, here and together with other clients. Only reads the reports of the
 * locks' drivers; uses the rooms {@code client} and {@code drive}.
 */
@NullMarked
package io.boltwork.engine.diagnose;

import org.jspecify.annotations.NullMarked;
