package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One command under way on one connection, and who waits for its reply.
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
    private final Consumer<Reply> handler;
    private FlatReply output = new FlatReply();
    private volatile int state = NEW;

    Call(ServerConnection connection, Consumer<Reply> handler) {
        this.connection = connection;
        this.handler = handler;
    }

    /** Writes the command. */
    abstract void write(ByteBuf out);

    /** What the server's answer means. */
    abstract Reply read(FlatReply answer);

    /** Which lock or locks it is about, for messages. */
    abstract String about();

    /** The server answered with an error. */
    void refused(String error) {
        finish(connection.errors().refused(error, about()));
    }

    final ServerTime time(long millis) {
        return new ServerTime(millis, connection.run());
    }

    /** Makes it ready to be sent once more, after an answer that says that it was not executed. */
    final void reset() {
        output = new FlatReply();
        state = NEW;
    }

    @Override
    public final void encode(ByteBuf out) {
        STATE.compareAndSet(this, NEW, WRITTEN); // from here on it may be executed, whatever happens
        write(out);
    }

    @Override
    public final void complete() {
        if (isDone()) {
            return;
        }
        if (output.hasError()) {
            refused(output.getError());
            return;
        }
        Reply reply;
        try {
            reply = read(output);
        } catch (RuntimeException e) {
            reply = connection.errors().unexpected(e, about());
        }
        finish(reply);
    }

    @Override
    public final boolean completeExceptionally(Throwable cause) {
        int before = STATE.getAndSet(this, DONE);
        if (before != DONE) {
            BackendException lost = connection.errors().lost(cause, before == WRITTEN, about());
            handler.accept(new Reply.Failed(before == WRITTEN, lost));
        }
        return before != DONE;
    }

    @Override
    public final void cancel() {
        completeExceptionally(new IllegalStateException("The connection was closed"));
    }

    private void finish(Reply reply) {
        if (STATE.getAndSet(this, DONE) != DONE) {
            handler.accept(reply);
        }
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
