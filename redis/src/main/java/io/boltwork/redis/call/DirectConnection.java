// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.Login;
import io.boltwork.redis.wire.RespWriter;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.protocol.RedisStateMachine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a server over which one caller at a time executes a call itself: writes it, and reads its answer. So
 * no other thread has to be woken. A connection on which anything went wrong is closed, because the next answer could
 * be mistaken for that of another call. Owned by one thread at a time; {@link #close} may be called by any.
 */
public final class DirectConnection implements AutoCloseable {

    /** The time between two looks of a caller whose server is silent. */
    private static final int LOOK_MILLIS = 50;

    private static final int BUFFER = 1_024; // grows with a longer call or answer

    private final Socket socket;
    private final Login login;
    private final ByteBuf out = Unpooled.buffer(BUFFER);
    private final ByteBuf in = Unpooled.buffer(BUFFER);
    private final RedisStateMachine parser = new RedisStateMachine();

    /** The time at which the connection was given back last. Written by its owner. */
    volatile long usedAt = System.nanoTime();

    /**
     * Takes over a socket that is connected.
     *
     * @param login the login that it gets, or has
     * @throws IOException if the socket has been closed
     */
    public DirectConnection(Socket socket, Login login) throws IOException {
        this.socket = socket;
        this.login = login;
        parser.setProtocolVersion(ProtocolVersion.RESP2);
        socket.setSoTimeout(LOOK_MILLIS);
        socket.setTcpNoDelay(true);
    }

    /**
     * Executes a command of the preparation, such as AUTH, within that time.
     *
     * @return the answer, or its last text
     * @throws IOException if there was none, or an error
     */
    public String prepare(long nanos, String... words) throws IOException {
        out.clear();
        RespWriter.writeCommand(out, words.length);
        for (String word : words) {
            RespWriter.write(out, word);
        }
        long end = System.nanoTime() + nanos;
        StatusOutput<String, String> answer = new StatusOutput<>(StringCodec.UTF8) {
            @Override
            public void set(long number) {} // of HELLO
        };
        exchange(answer, () -> end - System.nanoTime());
        if (answer.hasError()) {
            throw new IOException(words[0] + " was refused: " + answer.getError());
        }
        return String.valueOf(answer.get());
    }

    /**
     * Executes a call. Then it can be completed; otherwise the connection is closed, and the call has failed.
     *
     * @param nanosLeft how long to wait for the answer from now on; asked again and again
     * @return whether there is an answer
     */
    boolean execute(Call call, LongSupplier nanosLeft) {
        boolean isAnswered = false;
        try {
            out.clear();
            call.encode(out);
            exchange(call.getOutput(), nanosLeft);
            isAnswered = true;
            if (call.getOutput().hasError()
                    && Errors.isLoginOver(call.getOutput().getError())) {
                close(); // the next one has a new login
            }
        } catch (IOException | RuntimeException e) { // the answer may be no answer of Redis
            call.drop(e);
        } finally {
            if (!isAnswered) {
                close();
            }
        }
        return isAnswered;
    }

    /** Writes what is in {@link #out}, and reads one answer. */
    private void exchange(CommandOutput<?, ?, ?> answer, LongSupplier nanosLeft) throws IOException {
        socket.getOutputStream().write(out.array(), out.arrayOffset() + out.readerIndex(), out.readableBytes());
        in.clear();
        while (!parser.decode(in, answer)) {
            read(nanosLeft);
        }
        if (in.isReadable()) {
            throw new IOException("The server has sent more than one answer");
        }
    }

    private void read(LongSupplier nanosLeft) throws IOException {
        in.discardReadBytes();
        in.ensureWritable(BUFFER / 2);
        for (; ; ) {
            long left = nanosLeft.getAsLong();
            int millis = (int) Math.max(1, Math.min(LOOK_MILLIS, TimeUnit.NANOSECONDS.toMillis(left)));
            try {
                if (millis < LOOK_MILLIS) {
                    socket.setSoTimeout(millis);
                }
                int read = socket.getInputStream()
                        .read(in.array(), in.arrayOffset() + in.writerIndex(), in.writableBytes());
                if (read < 0) {
                    throw new EOFException("The server has closed the connection");
                }
                in.writerIndex(in.writerIndex() + read);
                if (millis < LOOK_MILLIS) {
                    socket.setSoTimeout(LOOK_MILLIS);
                }
                return;
            } catch (SocketTimeoutException e) {
                if (left <= 0) { // only now: the answer may have come while this thread got no processor
                    throw new IOException("Its caller has stopped waiting for the answer", e);
                }
            }
        }
    }

    /** Returns whether calls may be executed: it is open, and there are no newer credentials. */
    boolean isUsable() {
        return !socket.isClosed() && !login.isOutdated();
    }

    /** Closes the socket. A caller that reads from it gets an exception. Idempotent. */
    @Override
    public void close() {
        try {
            socket.setSoTimeout(1); // TLS reads once more before it closes, and the loop thread must not wait
            socket.close();
        } catch (IOException e) {
            // it is of no use any more
        }
    }

    /** Makes such a connection. */
    @FunctionalInterface
    public interface Opener {
        /**
         * Makes a connection. Blocks, for about that time at most.
         *
         * @throws IOException if the server cannot be reached, or refuses the connection
         */
        @Nullable
        DirectConnection open(long nanos) throws IOException;
    }
}
