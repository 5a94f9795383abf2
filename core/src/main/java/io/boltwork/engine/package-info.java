// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the machines of a client's locks: their mailboxes, timers, renewals and callbacks, and the calls of users'
 * threads.
 *
 * <p>There is one {@link io.boltwork.engine.Engine} per client, which makes its parts, and one
 * {@link io.boltwork.engine.drive.LockDriver} per lock in use. The parts share a {@code ClientCore} and do not use the
 * engine. Users' threads block in {@code Callers} only. This package is not exported: its types are public only for
 * {@link io.boltwork.LockClient} and {@link io.boltwork.LockInspector}.
 */
@NullMarked
package io.boltwork.engine;

import org.jspecify.annotations.NullMarked;
