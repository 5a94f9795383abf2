// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** A proxy in front of servers. It changes what a server sends, and gives each connection to the next server. */
final class AlteringProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int[] ports;
    private final UnaryOperator<String> change;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger next = new AtomicInteger();

    /**
     * Starts a proxy.
     *
     * @param change gets what the server has sent at once, as Latin-1 text, and returns what clients receive
     * @param ports the ports of the servers
     */
    AlteringProxy(UnaryOperator<String> change, int... ports) {
        this.ports = ports.clone();
        this.change = change;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
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

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "altering-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket near = listener.accept();
                int port = ports[next.getAndIncrement() % ports.length];
                Socket far = new Socket(InetAddress.getLoopbackAddress(), port);
                sockets.add(near);
                sockets.add(far);
                start(() -> copy(near, far, UnaryOperator.identity()));
                start(() -> copy(far, near, change));
            } catch (IOException closed) {
                // the loop ends if the proxy was closed
            }
        }
    }

    private static void copy(Socket from, Socket to, UnaryOperator<String> change) {
        byte[] buffer = new byte[65_536];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                String text = new String(buffer, 0, n, StandardCharsets.ISO_8859_1);
                out.write(change.apply(text).getBytes(StandardCharsets.ISO_8859_1));
                out.flush();
            }
        } catch (IOException closed) {
            // both sides are closed
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
