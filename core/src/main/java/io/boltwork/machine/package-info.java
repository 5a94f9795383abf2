/**
 * The state machine of one lock in one client: pure decisions, without threads, clocks and connections.
 *
 * <p>{@link io.boltwork.machine.LockMachine} takes events one at a time; its {@link io.boltwork.machine.Effects} carry out the
 * consequences. This package is not exported: its types are public only for the engine, which runs the machines.
 */
@NullMarked
package io.boltwork.machine;

import org.jspecify.annotations.NullMarked;
