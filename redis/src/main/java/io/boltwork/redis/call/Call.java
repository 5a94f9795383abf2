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
 * Something under way on one connection.
 *
 * <p>It writes itself straight into Lettuce's buffer and is told the outcome on Lettuce's I/O thread; there is no future and
 * no time-out in between. A call belongs to its connection for good, and a connection to one run of one server (it is never
 * made anew, see {@link ServerConnection}), so a reply cannot be taken for that of another run.
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

    /** The outlet that counts it as under way, {@code null} if none does. The outlet's. */
    @Nullable
    CallPipeline pipeline;

    /** Whether the outlet counts it as not written yet, too. The outlet's. */
    boolean isUnwritten;

    /** The call that was cut short before this one. The outlet's. */
    @Nullable
    Call cutBefore;

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
        pipeline = null;
        isUnwritten = false;
        state = NEW;
    }

    /** Hands it over to Lettuce. */
    final void dispatch(Consumer<Call> channel) {
        try {
            channel.accept(this);
        } catch (RuntimeException e) {
            fail(e, false);
        }
    }

    /** An error has cut short what was to dispatch it; Lettuce may have it all the same. */
    final void cutShort() {
        fail(new IllegalStateException("An error cut short the sending of the command"), true);
    }

    @Override
    public final void encode(ByteBuf out) {
        try {
            CallPipeline through = pipeline;
            if (STATE.compareAndSet(this, NEW, WRITTEN) && through != null) { // from here on it may be executed
                through.written();
            }
            write(out);
        } catch (
                Throwable e) { // Lettuce awaits an answer to what has not been written: the next ones would be mistaken
            // for it
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

    /** The answer counts. Throws nothing: Lettuce would take that for a fault of the connection, and drop an answer. */
    @Override
    public final void use() {
        if (STATE.getAndSet(this, DONE) == DONE) {
            return;
        }
        CallPipeline through = pipeline; // it may be sent again
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

    /** By Lettuce. If the connection is up, Lettuce cannot tell any more which answer is whose. */
    @Override
    public final boolean completeExceptionally(Throwable cause) {
        if (state == WRITTEN) {
            connection.condemn(cause);
        }
        return fail(cause, false);
    }

    /** There will be no answer. {@code handedOver}: it may have been executed though it has not been seen to be written. */
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

    /** Tells of a failure once more, if there is memory for it. Else the lock's machine gives the command up by itself. */
    final void failQuietly(Throwable cause) {
        try {
            failed(cause, true);
        } catch (Throwable e) {
            connection.condemn(e);
        }
    }

    /** The answer came, and does not count: the server may have been replaced before it executed this. */
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
