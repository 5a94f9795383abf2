// SPDX-License-Identifier: Apache-2.0
/**
 * The state machine of one lock in one client: pure decisions, without threads, clocks or connections.
 *
 * <p>{@link io.boltwork.machine.LockMachine} takes events one at a time. Its parts follow the states of a request:
 * {@code Asking} and {@code Granting} (WANTED), {@code Renewing} (HELD), {@code Releasing} (LOST, RELEASING) and
 * {@code Withdrawing} (WITHDRAWING). Their {@link io.boltwork.machine.state.Effects} carry out the consequences. This
 * package is not exported: its types are public only for the engine, which runs the machines.
 */
@NullMarked
package io.boltwork.machine;

import org.jspecify.annotations.NullMarked;
