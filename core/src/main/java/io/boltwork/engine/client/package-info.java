// SPDX-License-Identifier: Apache-2.0
/**
 * The base of a client's engine: its threads, clock, sleeper, listeners, identity and counters of errors. Uses the
 * machine and the API, and no other room of the engine.
 */
@NullMarked
package io.boltwork.engine.client;

import org.jspecify.annotations.NullMarked;
