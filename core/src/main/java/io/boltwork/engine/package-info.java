/**
 * Runs the machines of a client's locks: their mailboxes, timers, renewals and callbacks, and the calls of users' threads.
 *
 * <p>{@link io.boltwork.engine.Engine} is one per client, {@link io.boltwork.engine.LockDriver} one per lock in use. This package
 * is not exported: its types are public only for {@link io.boltwork.LockClient} and {@link io.boltwork.LockInspector}.
 */
@NullMarked
package io.boltwork.engine;

import org.jspecify.annotations.NullMarked;
