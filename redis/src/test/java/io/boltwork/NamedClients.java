// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.engine.Engine;
import io.boltwork.spi.LockBackend;

/** Clients of ids that tests choose: two of one id are as after the restoration of a snapshot. */
public final class NamedClients {
    private NamedClients() {}

    /** A client of that id. */
    public static LockClient create(LockBackend backend, String id) {
        return new LockClient(Engine.open(backend, ClientOptions.defaults(), id));
    }
}
