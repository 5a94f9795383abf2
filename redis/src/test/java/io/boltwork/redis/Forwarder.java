package io.boltwork.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An address that leads to one server now and to another one later. Connections that have been made stay where they are. */
final class Forwarder implements AutoCloseable {
    private final ServerSocket listener;
    private final List<Link> links = new CopyOnWriteArrayList<>();
    private volatile int target;

    /** Both ends of a connection. */
    private record Link(Socket near, Socket far) {
        void cut() throws IOException {
            near.close();
            far.close();
        }
    }

    Forwarder(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    String uri() {
        return "redis://127.0.0.1:" + listener.getLocalPort();
    }

    /** New connections lead there from now on. */
    void leadTo(int port) {
        target = port;
    }

    /** Cuts the connection that was made last. */
    void cutNewest() {
        try {
            links.get(links.size() - 1).cut();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Cuts the connection that was made first. */
    void cutOldest() {
        try {
            links.get(0).cut();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket near = listener.accept();
            Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
            Link link = new Link(near, far);
            links.add(link);
            start(() -> copy(near, far));
            start(() -> copy(far, near));
        }
    }

    private static void copy(Socket from, Socket to) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[8_192];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
        }
    }

    /** Something that ends with its socket. */
    private interface Task {
        void run() throws IOException;
    }

    private static void start(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // the socket was closed
                    }
                },
                "forwarder");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Link link : links) {
                link.cut();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
