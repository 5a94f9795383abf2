// SPDX-License-Identifier: Apache-2.0
/**
 * The state of one lock in one client, and what a machine may ask of its driver
 * ({@link io.boltwork.machine.state.Effects}). Uses the room {@code request}.
 */
@NullMarked
package io.boltwork.machine.state;

import org.jspecify.annotations.NullMarked;
