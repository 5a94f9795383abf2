// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import io.boltwork.BackendException;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A command on its way and the handler of its reply. Guarded by the server's lock, except for replying. */
final class SentCommand {
    final Connection connection;
    final Command<?> command;
    private @Nullable Consumer<Reply> handler;

    SentCommand(Connection connection, Command<?> command, Consumer<Reply> handler) {
        this.connection = connection;
        this.command = command;
        this.handler = handler;
    }

    /** Returns whether its connection broke after it was sent, so that no handler is left for its reply. */
    boolean isLate() {
        return handler == null;
    }

    /**
     * Removes the handler. Returns a task that reports the failure to the handler, to be run without the server's lock.
     */
    Runnable breakOff(String why) {
        Consumer<Reply> waiting = handler;
        handler = null;
        return () -> {
            if (waiting != null) {
                waiting.accept(failed(true, why));
            }
        };
    }

    void reply(Reply reply) {
        if (handler != null) {
            handler.accept(reply);
        }
    }

    static Reply.Failed failed(boolean executed, String why) {
        return new Reply.Failed(executed, new BackendException("In-memory lock server: " + why, true, null));
    }
}
