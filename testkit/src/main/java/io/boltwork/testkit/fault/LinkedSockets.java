// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * One connection of a {@link FaultyLink}: a client's socket, the server's socket, and the data in transit. Thread-safe.
 */
final class LinkedSockets {
    private static final Pattern SUBSCRIBE = Pattern.compile("\\$\\d+\r\n[PS]?SUBSCRIBE\r\n", Pattern.CASE_INSENSITIVE);
    private static final int LONGEST_SUBSCRIBE = 18;

    private final Socket near;
    private final Socket far;
    private final LongSupplier delay;
    private final Way up;
    private final Way down;
    private final AtomicInteger endedWays = new AtomicInteger();
    private final List<Thread> threads;

    private volatile boolean subscription;
    private volatile boolean repliesLost;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition letGo = lock.newCondition();
    private boolean held; // guarded by the lock
    private volatile Runnable whenOver = () -> {};

    /** Some bytes and their arrival time. No bytes mean the end. */
    private record Piece(byte[] bytes, long due) {}

    /** Creates a connection that does not deliver data yet. {@code delay} is called for each piece of data. */
    LinkedSockets(Socket near, Socket far, LongSupplier delay) throws IOException {
        this.near = near;
        this.far = far;
        this.delay = delay;
        near.setTcpNoDelay(true);
        far.setTcpNoDelay(true);
        up = new Way(near, far);
        down = new Way(far, near);
        threads = List.of(
                new Thread(up::read, "faulty-link-read"),
                new Thread(up::write, "faulty-link-write"),
                new Thread(down::read, "faulty-link-read"),
                new Thread(down::write, "faulty-link-write"));
    }

    void start(Runnable onceOver) {
        whenOver = onceOver;
        threads.forEach(thread -> {
            thread.setDaemon(true);
            thread.start();
        });
    }

    /** Returns whether the client has subscribed to a channel. */
    boolean isSubscription() {
        return subscription;
    }

    /** Loses all data from the server from now on. */
    void loseReplies() {
        repliesLost = true;
    }

    /** Holds back all data while {@code hold} is true, and delivers it afterwards. */
    void hold(boolean hold) {
        lock.lock();
        try {
            held = hold;
            letGo.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Breaks the connection for the client, and holds back the data that the client has sent. */
    void strand() {
        repliesLost = true; // no client is left to receive them
        hold(true);
        reset(near);
    }

    private void awaitLetGo() throws InterruptedException {
        lock.lock();
        try {
            while (held) {
                letGo.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Breaks the connection for both sides. Data in transit is lost. */
    void reset() {
        reset(near);
        reset(far);
        threads.forEach(Thread::interrupt);
        whenOver.run();
    }

    static void reset(Socket socket) {
        try (socket) {
            socket.setSoLinger(true, 0); // closing sends a reset
        } catch (IOException e) {
            // it is already closed
        }
    }

    private void ended() {
        if (endedWays.incrementAndGet() == 2) { // both sides have already seen the end, after all data in transit
            try (near;
                    far) {
                whenOver.run();
            } catch (IOException e) {
                // it is already closed
            }
        }
    }

    /** One of the two directions. */
    private final class Way {
        private final Socket from;
        private final Socket to;
        private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
        private String tail = "";
        private long lastDue = System.nanoTime();

        Way(Socket from, Socket to) {
            this.from = from;
            this.to = to;
        }

        void read() {
            byte[] buffer = new byte[8_192];
            try {
                InputStream in = from.getInputStream();
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    byte[] bytes = Arrays.copyOf(buffer, n);
                    if (from == near) {
                        look(bytes);
                    }
                    add(bytes);
                }
            } catch (IOException e) {
                // it is broken: the other side sees an end
            }
            add(new byte[0]);
        }

        private void add(byte[] bytes) {
            lastDue = Math.max(lastDue, System.nanoTime() + delay.getAsLong());
            pieces.add(new Piece(bytes, lastDue));
        }

        /** Checks if the client subscribes, even if the command arrives in two pieces. */
        private void look(byte[] bytes) {
            if (!subscription) {
                String text = tail + new String(bytes, StandardCharsets.ISO_8859_1);
                subscription = SUBSCRIBE.matcher(text).find();
                tail = text.substring(Math.max(0, text.length() - LONGEST_SUBSCRIBE));
            }
        }

        void write() {
            try {
                OutputStream out = to.getOutputStream();
                for (Piece piece = next(); piece.bytes().length > 0; piece = next()) {
                    if (to == far || !repliesLost) {
                        out.write(piece.bytes());
                    }
                }
                to.shutdownOutput();
                ended();
            } catch (IOException e) {
                reset(); // one side is gone
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // both sides are gone
            }
        }

        private Piece next() throws InterruptedException {
            Piece piece = pieces.take();
            TimeUnit.NANOSECONDS.sleep(piece.due() - System.nanoTime());
            awaitLetGo();
            return piece;
        }
    }
}
