package io.boltwork.memory;

/**
 * A replica of a {@link MemoryServer}, with all data that the server had when the replica was taken. Immutable.
 *
 * @see MemoryServer#replica
 * @see MemoryServer#failOver
 */
public final class MemoryReplica {
    private final Keys keys;
    private final ClientRecords clients;

    /** Creates a replica of data that must no longer change. */
    MemoryReplica(Keys keys, ClientRecords clients) {
        this.keys = keys;
        this.clients = clients;
    }

    Keys keys() {
        return keys;
    }

    ClientRecords clients() {
        return clients;
    }
}
