// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.spi.QueryReply;
import org.jspecify.annotations.Nullable;

/**
 * The state of a lock at the server at one moment.
 *
 * @param history what was observed of the lock
 * @param record the server's record
 * @param owner the client of the owner whose lease lasts; {@code null} if there is none
 * @param closed whether the lock is owned or kept closed
 */
record LockAtServer(
        ObservedLock history,
        QueryReply.Inspected record,
        @Nullable SimulatedClient owner,
        boolean closed) {

    static LockAtServer now(Simulation simulation, ObservedLock history) {
        QueryReply.Inspected record = history.data.look();
        boolean closed = history.data.server().virtual(record.untilMillis()) > simulation.time.now();
        boolean owned = record.owner() != null && closed;
        return new LockAtServer(history, record, owned ? simulation.clientOf(record.owner()) : null, closed);
    }
}
