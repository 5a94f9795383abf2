// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A simple RESP2 connection to a Redis server, for one command at a time. Its owner closes it.
 *
 * @since 0.1.0
 */
public final class RespConnection implements AutoCloseable {
    private final Socket socket = new Socket();
    private final DataInputStream in;

    /**
     * Connects to a server.
     *
     * @param host the server's host
     * @param port the server's port
     * @param timeout the time limit of the connection and of each reply
     * @throws IOException if there is no connection within the time limit
     */
    public RespConnection(String host, int port, Duration timeout) throws IOException {
        int millis = (int) Math.max(1, timeout.toMillis());
        try {
            socket.connect(new InetSocketAddress(host, port), millis);
            socket.setSoTimeout(millis);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Sends a command and waits for the reply.
     *
     * @param args the command and its arguments
     * @return a string, a {@link Long}, a list of these, or {@code null}
     * @throws IOException if the connection breaks, or the time limit has passed
     * @throws RedisErrorException if the reply is an error
     */
    public @Nullable Object call(String... args) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("*" + args.length + "\r\n").getBytes(StandardCharsets.UTF_8));
        for (String arg : args) {
            byte[] bytes = arg.getBytes(StandardCharsets.UTF_8);
            out.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
            out.writeBytes(bytes);
            out.writeBytes(new byte[] {'\r', '\n'});
        }
        socket.getOutputStream().write(out.toByteArray());
        return read();
    }

    /**
     * Waits for the next reply or, on a connection that has subscribed, for the next message.
     *
     * @return the reply, or the message as a list
     * @throws IOException if the connection breaks, or the time limit has passed
     * @throws RedisErrorException if the reply is an error
     */
    public @Nullable Object read() throws IOException {
        String line = line();
        String rest = line.substring(1);
        switch (line.charAt(0)) {
            case '+':
                return rest;
            case '-':
                throw new RedisErrorException(rest);
            case ':':
                return Long.valueOf(rest);
            case '$':
                return bulk(Integer.parseInt(rest));
            case '*':
                int size = Integer.parseInt(rest);
                if (size < 0) {
                    return null;
                }
                List<@Nullable Object> list = new ArrayList<>(size);
                for (int i = 0; i < size; i++) {
                    list.add(read());
                }
                return list;
            default:
                throw new IOException("Not RESP2: " + line);
        }
    }

    private @Nullable String bulk(int size) throws IOException {
        if (size < 0) {
            return null;
        }
        byte[] bytes = new byte[size];
        in.readFully(bytes);
        in.skipNBytes(2);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("The server closed the connection");
            }
            if (c != '\r') {
                line.write(c);
            }
        }
        if (line.size() == 0) {
            throw new IOException("Not RESP2: an empty line");
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
