// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.BackendException;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.RespWriter;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A call of {@code probe.lua}, with the channel and the message as arguments. With sharded channels, the call also has
 * a key of the slot.
 */
public final class ProbeCall extends EvalCall {
    /** The answer if the user may not run scripts. */
    public static final long NO_SCRIPTS = -1;

    private static final String ABOUT = "the probe of its messages";

    /**
     * The number of clients to which the server has sent the message, or {@link #NO_SCRIPTS}. Fails with a {@link
     * BackendException}.
     */
    public final CompletableFuture<Long> receivers = new CompletableFuture<>();

    private final @Nullable String key;
    private final String channel;
    private final String message;

    /**
     * Creates a probe.
     *
     * @param key a key of the slot of the channel, or {@code null} if the channel is not sharded
     */
    public ProbeCall(ServerConnection connection, @Nullable String key, String channel, String message) {
        super(connection);
        this.key = key;
        this.channel = channel;
        this.message = message;
    }

    /** Returns the failure for a client that could not listen on its channel. */
    public static BackendException deaf(Errors errors, Throwable failure) {
        return errors.failed(failure, ABOUT).cause();
    }

    @Override
    Script script() {
        return Script.PROBE;
    }

    @Override
    int keys() {
        return key == null ? 0 : 1;
    }

    @Override
    int arguments() {
        return 2;
    }

    @Override
    void writeKeys(ByteBuf out, KeySpace keySpace) {
        if (key != null) {
            RespWriter.write(out, key);
        }
    }

    @Override
    void writeArguments(ByteBuf out) {
        RespWriter.write(out, channel);
        RespWriter.write(out, message);
    }

    @Override
    void answered(FlatReply answer) {
        try {
            receivers.complete(answer.number(1));
        } catch (RuntimeException e) {
            receivers.completeExceptionally(
                    connection.errors().unexpected(e, ABOUT).cause());
        }
    }

    @Override
    void rejected(String error) {
        if (Errors.isAboutScripts(error)) {
            receivers.complete(NO_SCRIPTS);
        } else {
            receivers.completeExceptionally(connection.refused(error, ABOUT).cause());
        }
    }

    @Override
    void failed(Throwable cause, boolean written) {
        receivers.completeExceptionally(connection.errors().lost(cause, written, ABOUT));
    }
}
