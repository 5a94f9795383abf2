// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import io.boltwork.spi.BackendListener;

/** The connection of a {@link MemoryBackend} to its server: commands in one direction, messages in the other. */
final class Connection {
    final BackendListener listener;

    /** The id of the client whose grants it receives; guarded by the server's lock. */
    String client;

    /** {@code true} if commands and messages arrive; guarded by the server's lock. */
    boolean up;

    Connection(String client, BackendListener listener) {
        this.client = client;
        this.listener = listener;
    }
}
