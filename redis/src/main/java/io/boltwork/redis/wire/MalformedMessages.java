// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Counts the malformed messages on a client's channels, and warns of the first one. Thread-safe. */
public final class MalformedMessages {
    private final AtomicLong count = new AtomicLong();

    /** Counts a message. */
    public void met(IllegalArgumentException why, Consumer<String> warning) {
        if (count.getAndIncrement() == 0) {
            warning.accept("a message that is not a grant arrived on a channel of this client's grants ("
                    + why.getMessage()
                    + "); only the scripts of Boltwork may publish there. Such messages are ignored and"
                    + " counted, and this is reported once");
        }
    }

    /** Returns the number of messages. */
    public long count() {
        return count.get();
    }
}
