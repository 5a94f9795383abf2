// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.testkit.server.RedisServer;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A proxy in front of a server. It parses the server's replies, and can change or withhold them. */
final class RespProxy implements AutoCloseable {

    /** One value as the server sends it, with its elements. */
    record Value(char type, String line, byte @Nullable [] body, List<Value> elements) {
        static Value error(String text) {
            return new Value('-', text, null, List.of());
        }

        /** The text, or the rest of the line; empty for a value with elements. */
        String text() {
            return body != null ? new String(body, StandardCharsets.UTF_8) : elements.isEmpty() ? line : "";
        }

        /** Returns whether this is a message of a channel. */
        boolean isMessage() {
            return elements.size() == 3 && elements.get(0).text().matches("s?message");
        }

        /** Returns whether this is an answer of {@code probe.lua}: two numbers, which no other script returns. */
        boolean isProbeAnswer() {
            return type == '*' && elements.size() == 2 && elements.stream().allMatch(each -> each.type == ':');
        }

        /** Returns whether this is an answer of a script about a lock. */
        boolean isLockAnswer() {
            return type == '*' && !elements.isEmpty() && elements.get(0).type == ':' && !isProbeAnswer();
        }

        /** Returns a copy with another text. */
        Value with(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return new Value(type, Integer.toString(bytes.length), bytes, List.of());
        }

        private void write(OutputStream out) throws IOException {
            out.write(type);
            out.write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
            if (body != null) {
                out.write(body);
                out.write('\r');
                out.write('\n');
            }
            for (Value element : elements) {
                element.write(out);
            }
        }

        private static Value read(DataInputStream in) throws IOException {
            String line = readLine(in);
            char type = line.charAt(0);
            String rest = line.substring(1);
            byte[] body = null;
            List<Value> elements = new ArrayList<>();
            if ("$=!".indexOf(type) >= 0 && !rest.startsWith("-")) {
                body = new byte[Integer.parseInt(rest)];
                in.readFully(body);
                in.skipNBytes(2);
            } else if ("*~>%".indexOf(type) >= 0) {
                int size = Integer.parseInt(rest) * (type == '%' ? 2 : 1);
                for (int i = 0; i < size; i++) {
                    elements.add(read(in));
                }
            }
            return new Value(type, rest, body, elements);
        }

        private static String readLine(DataInputStream in) throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0) {
                    throw new EOFException();
                }
                if (c != '\r') {
                    line.write(c);
                }
            }
            return line.toString(StandardCharsets.UTF_8);
        }
    }

    /** Withholds messages of channels. */
    static final UnaryOperator<@Nullable Value> SWALLOWS = value -> value.isMessage() ? null : value;

    private final RedisServer server;
    private final ServerSocket listener;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile UnaryOperator<@Nullable Value> change = UnaryOperator.identity();

    RespProxy(RedisServer server) {
        this.server = server;
        try {
            listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    String uri() {
        return "redis://127.0.0.1:" + port();
    }

    /** Changes the server's replies from now on, on all connections; {@code null} withholds a reply. */
    void change(UnaryOperator<@Nullable Value> how) {
        change = how;
    }

    /** Breaks all connections. */
    void cut() {
        for (Socket socket : sockets) {
            close(socket);
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket near = listener.accept();
                Socket far = new Socket(InetAddress.getLoopbackAddress(), server.port());
                near.setTcpNoDelay(true);
                far.setTcpNoDelay(true);
                sockets.addAll(List.of(near, far));
                start(() -> pass(near, far, () -> near.getInputStream().transferTo(far.getOutputStream())));
                start(() -> pass(near, far, () -> answers(near, far)));
            } catch (IOException e) {
                // closed, or the server is down
            }
        }
    }

    private void answers(Socket near, Socket far) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(far.getInputStream()));
        OutputStream out = new BufferedOutputStream(near.getOutputStream());
        while (true) {
            Value read = Value.read(in);
            Value value = change.apply(read); // the change that counts when the reply has come
            if (value != null) {
                value.write(out);
                out.flush();
            }
        }
    }

    private interface Flow {
        void run() throws IOException;
    }

    private void pass(Socket near, Socket far, Flow flow) {
        try {
            flow.run();
        } catch (IOException e) {
            // the end of the connection
        } finally {
            close(near);
            close(far);
        }
    }

    private void close(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "resp-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }
}
