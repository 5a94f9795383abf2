package io.boltwork.memory;

import io.boltwork.spi.BackendListener;

/** What a {@link MemoryBackend} has to its server: commands one way, messages the other. */
final class Connection {
    final BackendListener listener;

    /** Whose requests' grants it gets; guarded by the server's lock. */
    String client;

    /** Whether commands arrive and messages come; guarded by the server's lock. */
    boolean up;

    Connection(String client, BackendListener listener) {
        this.client = client;
        this.listener = listener;
    }
}
