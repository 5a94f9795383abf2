// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.redis.wire.FlatReply;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A command under way on one connection.
 *
 * <p>The call writes itself directly into Lettuce's buffer. It receives its outcome on Lettuce's I/O thread, without a
 * future or a timeout in between. A call belongs to one connection, and a connection to one run of one server (see
 * {@link ServerConnection}). Therefore, a reply cannot be mistaken for one of another run.
 */
abstract class Call implements RedisCommand<byte[], byte[], @Nullable Void>, StaleMasterGuard.Kept {
    private static final AtomicIntegerFieldUpdater<Call> STATE =
            AtomicIntegerFieldUpdater.newUpdater(Call.class, "state");

    private static final int NEW = 0;
    private static final int WRITTEN = 1;
    private static final int DONE = 2;

    final ServerConnection connection;
    private FlatReply output = new FlatReply();
    private volatile int state = NEW;

    /** The pipeline that counts the call as under way, or {@code null}. Belongs to the pipeline. */
    @Nullable
    CallPipeline pipeline;

    /** True if the pipeline also counts the call as not written yet. Belongs to the pipeline. */
    boolean isUnwritten;

    /** The call that was cut short before this one. Belongs to the pipeline. */
    @Nullable
    Call cutBefore;

    Call(ServerConnection connection) {
        this.connection = connection;
    }

    /** Writes the command. */
    abstract void write(ByteBuf out);

    /** Ends the call with the server's answer. */
    abstract void answered(FlatReply answer);

    /** Ends the call with an error of the server, or sends it again. */
    abstract void refused(String error);

    /** Called when there will be no answer. If the command was written, the server may have executed it. */
    abstract void failed(Throwable cause, boolean written);

    /** Prepares the call to be sent again, after an answer that says that it was not executed. */
    final void reset() {
        output = new FlatReply();
        pipeline = null;
        isUnwritten = false;
        state = NEW;
    }

    /** Passes the call to Lettuce. */
    final void dispatch(Consumer<Call> channel) {
        try {
            channel.accept(this);
        } catch (RuntimeException e) {
            fail(e, false);
        }
    }

    /** Fails the call because an error interrupted its dispatch. Lettuce may have received the call nevertheless. */
    final void cutShort() {
        fail(new IllegalStateException("An error cut short the sending of the command"), true);
    }

    @Override
    public final void encode(ByteBuf out) {
        try {
            CallPipeline through = pipeline;
            if (STATE.compareAndSet(this, NEW, WRITTEN) && through != null) { // the server may execute it from here on
                through.written();
            }
            write(out);
        } catch (Throwable e) {
            // Lettuce awaits an answer to a command that was not written, and would mistake the next answers for it.
            connection.condemn(e);
            throw e;
        }
    }

    @Override
    public final void complete() {
        if (connection.isCondemned()) {
            drop(new IllegalStateException("The connection cannot be trusted after an error"));
        } else {
            connection.heard(this);
        }
    }

    /**
     * Uses the answer. Never throws, because Lettuce would treat an exception as a fault of the connection and drop an
     * answer.
     */
    @Override
    public final void use() {
        if (STATE.getAndSet(this, DONE) == DONE) {
            return;
        }
        CallPipeline through = pipeline; // read first, because reset() clears it
        try {
            if (output.hasError()) {
                refused(output.getError());
            } else {
                answered(output);
            }
        } catch (Throwable e) {
            failQuietly(e);
        } finally {
            if (through != null) {
                through.over();
            }
        }
    }

    /**
     * Fails the call because Lettuce reports a failure. If the command was already written and the connection is still
     * up, Lettuce can no longer match answers to commands. Therefore the connection is condemned.
     */
    @Override
    public final boolean completeExceptionally(Throwable cause) {
        if (state == WRITTEN) {
            connection.condemn(cause);
        }
        return fail(cause, false);
    }

    /**
     * Fails the call.
     *
     * @param handedOver whether the command may have been executed even though this call did not see it being written
     */
    private boolean fail(Throwable cause, boolean handedOver) {
        int before = STATE.getAndSet(this, DONE);
        if (before == DONE) {
            return false;
        }
        CallPipeline through = pipeline;
        try {
            if (before == NEW && through != null && isUnwritten) {
                through.unwritten();
            }
            failed(cause, handedOver || before == WRITTEN);
        } catch (Throwable e) {
            failQuietly(e);
        } finally {
            if (through != null) {
                through.over();
            }
        }
        return true;
    }

    /**
     * Reports a failure again, if there is memory for it. If not, condemns the connection, and the lock's state machine
     * gives the command up by itself.
     */
    final void failQuietly(Throwable cause) {
        try {
            failed(cause, true);
        } catch (Throwable e) {
            connection.condemn(e);
        }
    }

    /** Drops the answer, because the server may have been replaced before it executed the command. */
    @Override
    public final void drop(Throwable cause) {
        fail(cause, false);
    }

    @Override
    public final void cancel() {
        fail(new IllegalStateException("The connection was closed"), false);
    }

    @Override
    public final CommandOutput<byte[], byte[], @Nullable Void> getOutput() {
        return output;
    }

    @Override
    public final CommandArgs<byte[], byte[]> getArgs() {
        return new CommandArgs<>(ByteArrayCodec.INSTANCE);
    }

    @Override
    public final boolean isCancelled() {
        return false;
    }

    @Override
    public final boolean isDone() {
        return state == DONE;
    }

    @Override
    public final void setOutput(CommandOutput<byte[], byte[], @Nullable Void> other) {
        throw new UnsupportedOperationException();
    }
}
