// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.spi.CallerRun;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The {@link DirectConnection}s beside one connection. There is none until calls have often been alone. A caller opens
 * one when it needs it, and the loop thread closes those that are not used. Thread-safe.
 */
public final class DirectConnections {

    /** The number of calls without a crowd before callers execute theirs. */
    private static final int BEFORE = 100;

    private static final long UNUSED = TimeUnit.SECONDS.toNanos(10);

    private final DirectConnection.Opener opener;
    private final int most;
    private final long timeout; // ns
    private final ConcurrentLinkedDeque<DirectConnection> idle = new ConcurrentLinkedDeque<>();
    private final Set<DirectConnection> all = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();

    /** The number of callers that execute a call. */
    private final AtomicInteger busy = new AtomicInteger();

    /** The number of calls since the last crowd; not counted beyond {@link #BEFORE}. */
    private final AtomicInteger alone = new AtomicInteger();

    /** The time before which no connection is made again after one could not be made. */
    private volatile long openAfter = Long.MIN_VALUE;

    private volatile boolean closed;

    /**
     * Creates none yet.
     *
     * @param most the largest number of connections
     * @param timeout the command timeout, in nanoseconds
     */
    public DirectConnections(DirectConnection.Opener opener, int most, long timeout) {
        this.opener = opener;
        this.most = most;
        this.timeout = timeout;
    }

    /**
     * Returns whether a caller on this thread may get a connection. Counts calls that are hardly alone. A crowd of
     * callers is quicker on the main connection, and then so is each of them.
     *
     * @param underWay the number of calls on the main connection
     */
    boolean mayServe(int underWay) {
        if (most == 0 || closed || Thread.currentThread() instanceof FastThreadLocalThread) {
            return false;
        }
        int executing = busy.get();
        if (underWay + executing > most) { // one of them may be this caller's last one, whose answer it has already
            alone.set(0);
            return false;
        }
        return executing < most && (alone.get() > BEFORE || alone.incrementAndGet() > BEFORE);
    }

    /** Returns the call as one that its caller may execute. */
    CallerRun offer(ScriptCall<?> call) {
        return new Offer(call);
    }

    private final class Offer implements CallerRun {
        private final ScriptCall<?> call;

        Offer(ScriptCall<?> call) {
            this.call = call;
        }

        @Override
        public void run(LongSupplier nanosLeft) {
            long end = System.nanoTime() + timeout;
            // the socket of a virtual thread is closed when it reads with its interrupt flag set
            boolean mayRead = !Thread.currentThread().isInterrupted();
            DirectConnection connection = mayRead ? take(Math.min(timeout, nanosLeft.getAsLong())) : null;
            if (connection == null) {
                send();
                return;
            }
            boolean isAnswered = false;
            busy.getAndIncrement();
            try {
                isAnswered = connection.execute(call, () -> Math.min(end - System.nanoTime(), nanosLeft.getAsLong()));
            } finally {
                busy.getAndDecrement();
                if (isAnswered && !closed) {
                    connection.usedAt = System.nanoTime();
                    idle.addFirst(connection);
                } else {
                    forget(connection);
                }
            }
            if (isAnswered && !closed) {
                call.complete(); // last, because the handler may send other commands
            } else if (isAnswered) {
                call.drop(new IllegalStateException("The connection was closed"));
            }
        }

        @Override
        public void send() {
            call.connection.send(call);
        }
    }

    /**
     * Takes a connection, or opens one, which takes several round trips; {@code null} if there is none for this caller.
     */
    private @Nullable DirectConnection take(long nanos) {
        for (DirectConnection free; (free = idle.pollFirst()) != null; ) {
            if (free.isUsable()) {
                return free;
            }
            forget(free);
        }
        boolean isInAHurry = nanos < timeout / 2;
        if (isInAHurry || closed || System.nanoTime() < openAfter) {
            return null;
        }
        if (count.incrementAndGet() > most) {
            count.decrementAndGet();
            return null;
        }
        DirectConnection opened = null;
        try {
            opened = opener.open(nanos);
            if (opened != null) {
                all.add(opened);
            }
        } catch (IOException | RuntimeException e) { // a resolver or a provider of credentials may fail, too
            // the call is sent over the main connection
        } finally {
            if (opened == null) {
                openAfter = System.nanoTime() + UNUSED;
                count.decrementAndGet();
            }
        }
        if (opened != null && closed) { // close() may have overlooked it
            forget(opened);
            return null;
        }
        return opened;
    }

    private void forget(DirectConnection connection) {
        connection.close();
        if (all.remove(connection)) {
            count.decrementAndGet();
        }
    }

    /** Closes the connections that were not used lately. Called by the loop thread, once a second. */
    void closeUnused() {
        long now = System.nanoTime();
        for (DirectConnection last; (last = idle.peekLast()) != null && now - last.usedAt > UNUSED; ) {
            if (idle.remove(last)) {
                forget(last);
                alone.set(0);
            }
        }
    }

    /** Closes all connections. The callers that read from them fail. */
    void close() {
        closed = true;
        all.forEach(this::forget);
        idle.clear();
    }
}
