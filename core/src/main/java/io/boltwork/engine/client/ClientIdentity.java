// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import io.boltwork.spi.BlockedThread;
import io.boltwork.spi.ClientRecord;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The record of a client, whose id changes if another living client has it. Thread-safe. */
public final class ClientIdentity {

    private final ReentrantLock renaming = new ReentrantLock();
    private volatile ClientRecord clientRecord;

    ClientIdentity(ClientRecord clientRecord) {
        this.clientRecord = clientRecord;
    }

    /** The client's id. */
    public String id() {
        return clientRecord.id();
    }

    public ClientRecord clientRecord() {
        return clientRecord;
    }

    /** Sets the blocked threads that the next announcement publishes. */
    public void publish(List<BlockedThread> blocked) {
        if (clientRecord.blocked().equals(blocked)) {
            return;
        }
        renaming.lock();
        try {
            clientRecord = clientRecord.withBlocked(blocked);
        } finally {
            renaming.unlock();
        }
    }

    /** Gives the client the id {@code to} if its id is {@code from}. Returns whether it did. */
    public boolean rename(String from, String to) {
        renaming.lock();
        try {
            if (!id().equals(from)) {
                return false;
            }
            clientRecord = new ClientRecord(
                    to,
                    clientRecord.application(),
                    clientRecord.host(),
                    clientRecord.pid(),
                    clientRecord.sinceMillis(),
                    clientRecord.wireVersion());
            return true;
        } finally {
            renaming.unlock();
        }
    }
}
