package io.boltwork.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Something under way on one connection.
 *
 * <p>It writes itself straight into Lettuce's buffer and is told the outcome on Lettuce's I/O thread; there is no future and
 * no time-out in between. A call belongs to its connection for good, and a connection to one run of one server (it is never
 * made anew, see {@link ServerConnection}), so a reply cannot be taken for that of another run.
 */
abstract class Call implements RedisCommand<byte[], byte[], @Nullable Void> {
    private static final AtomicIntegerFieldUpdater<Call> STATE =
            AtomicIntegerFieldUpdater.newUpdater(Call.class, "state");

    private static final int NEW = 0;
    private static final int WRITTEN = 1;
    private static final int DONE = 2;

    final ServerConnection connection;
    private FlatReply output = new FlatReply();
    private volatile int state = NEW;

    Call(ServerConnection connection) {
        this.connection = connection;
    }

    /** Writes the command. */
    abstract void write(ByteBuf out);

    /** The server answered. */
    abstract void answered(FlatReply answer);

    /** The server answered with an error. */
    abstract void refused(String error);

    /** There will be no answer; if it was written, the server may have executed it. */
    abstract void failed(Throwable cause, boolean written);

    /** Makes it ready to be sent once more, after an answer that says that it was not executed. */
    final void reset() {
        output = new FlatReply();
        state = NEW;
    }

    @Override
    public final void encode(ByteBuf out) {
        if (STATE.compareAndSet(this, NEW, WRITTEN)) { // from here on it may be executed, whatever happens
            connection.outlet().written();
        }
        write(out);
    }

    @Override
    public final void complete() {
        if (STATE.getAndSet(this, DONE) == DONE) {
            return;
        }
        if (output.hasError()) {
            refused(output.getError());
        } else {
            answered(output);
        }
        connection.outlet().over();
    }

    @Override
    public final boolean completeExceptionally(Throwable cause) {
        int before = STATE.getAndSet(this, DONE);
        if (before == DONE) {
            return false;
        }
        if (before == NEW) {
            connection.outlet().unwritten();
        }
        failed(cause, before == WRITTEN);
        connection.outlet().over();
        return true;
    }

    @Override
    public final void cancel() {
        completeExceptionally(new IllegalStateException("The connection was closed"));
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
