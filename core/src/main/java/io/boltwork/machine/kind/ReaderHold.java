// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.kind;

import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * The hold of one reader of a read-write lock: a part of a {@link SharedReadHold}, or of the hold of its own writer.
 */
public final class ReaderHold extends Hold {

    /** The hold that readers share; {@code null} for a reader whose thread is, or was, the writer. */
    private final @Nullable SharedReadHold shared;

    ReaderHold(Request request, Waiter reader, long since, @Nullable SharedReadHold shared) {
        super(request, request.lastToken, reader, since);
        this.shared = shared;
    }

    @Override
    public boolean isReader() {
        return true;
    }

    @Override
    public Hold whole() {
        return shared == null ? this : shared;
    }
}
