package io.boltwork.memory;

import io.boltwork.BackendException;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A command on its way, and who waits for its reply. Guarded by the server's lock, but for the replying. */
final class Sent {
    final Connection connection;
    final Command command;
    private @Nullable Consumer<Reply> handler;

    Sent(Connection connection, Command command, Consumer<Reply> handler) {
        this.connection = connection;
        this.command = command;
        this.handler = handler;
    }

    /** Whether the connection broke behind it: nobody will be told what became of it. */
    boolean isLate() {
        return handler == null;
    }

    /** Takes the handler away; what is to be run in its place, without the server's lock, tells it of the failure. */
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
