// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import org.jspecify.annotations.Nullable;

/** The hold of one reader of a read-write lock: a part of a {@link ReadersHold}, or of the hold of its own writer. */
final class ReaderHold extends Hold {

    /** The hold that readers share; {@code null} for a reader whose thread is, or was, the writer. */
    private final @Nullable ReadersHold shared;

    ReaderHold(Request request, Waiter reader, long since, @Nullable ReadersHold shared) {
        super(request, request.lastToken, reader, since);
        this.shared = shared;
    }

    @Override
    public boolean isReader() {
        return true;
    }

    @Override
    Hold whole() {
        return shared == null ? this : shared;
    }
}
