// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

/**
 * A replica of a {@link MemoryServer}, with all data that the server had when the replica was taken. Immutable.
 *
 * @see MemoryServer#replica
 * @see MemoryServer#failOver
 * @since 0.1.0
 */
public final class MemoryReplica {
    private final ServerData data;

    /** Creates a replica of data that must no longer change. */
    MemoryReplica(ServerData data) {
        this.data = data;
    }

    ServerData data() {
        return data;
    }
}
