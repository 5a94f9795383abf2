package io.boltwork.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where calls leave for a server, in the order in which they came. A few are under way each for itself; what comes meanwhile
 * gathers, and goes out as groups as soon as one of them is over. So nobody waits who is alone, and when many come at once
 * client and server have one command to deal with instead of sixteen. Thread-safe, without locks.
 *
 * <p>The connection's own thread writes at once, what others hand over it writes when it comes to that. So it must not hand
 * over anything as long as something of others has not been written: then another thread takes its place.
 */
final class Outlet {
    /** With fewer, a few threads wait for each other; with more, groups are small. Measured: docs/decisions.md. */
    private static final int UNDER_WAY = 4;

    /**
     * Groups are worth it at this size already. Larger ones swallow each other like buses that run late: all who were answered
     * together ask together again, and client and server take turns instead of working at the same time.
     */
    private static final int GROUP = 16;

    private final ServerConnection connection;
    private final Consumer<Call> channel;
    private final Executor other;
    private final boolean groups;
    private final Queue<Call> gathered = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();

    /** Calls that were handed over and have not been written. */
    private final AtomicInteger unwritten = new AtomicInteger();

    /** How often it was asked to send since it began to; one thread at a time does, for all. */
    private final AtomicInteger asked = new AtomicInteger();

    /** The thread that writes, once it has. */
    private volatile @Nullable Thread writer;

    /**
     * An outlet through which nothing has left.
     *
     * @param channel takes calls to be written
     * @param other has a thread that is not the one that writes them
     * @param groups whether calls may go out as groups; else none waits for others
     */
    Outlet(ServerConnection connection, Consumer<Call> channel, Executor other, boolean groups) {
        this.connection = connection;
        this.groups = groups;
        this.channel = channel;
        this.other = other;
    }

    void send(Call call) {
        gathered.add(call);
        if (asked.getAndIncrement() == 0) {
            drain();
        }
    }

    /** A call is being written, by the thread that calls this. */
    void written() {
        if (writer != Thread.currentThread()) {
            writer = Thread.currentThread();
        }
        unwritten.decrementAndGet();
    }

    /** A call will not be written. */
    void unwritten() {
        unwritten.decrementAndGet();
    }

    /** A call was answered, or will not be. */
    void over() {
        underWay.decrementAndGet();
        if (!gathered.isEmpty() && asked.getAndIncrement() == 0) {
            drain();
        }
    }

    private void drain() {
        boolean writes = Thread.currentThread() == writer;
        int seen;
        do {
            seen = asked.get();
            while ((underWay.get() < UNDER_WAY || !groups) && !gathered.isEmpty()) {
                if (writes && unwritten.get() > 0 && passOn()) {
                    return;
                }
                Call next = Objects.requireNonNull(next());
                underWay.incrementAndGet();
                unwritten.incrementAndGet();
                next.leaves(this);
                next.dispatch(channel);
            }
        } while (asked.addAndGet(-seen) > 0);
    }

    private boolean passOn() {
        try {
            other.execute(this::drain);
            return true;
        } catch (RejectedExecutionException e) { // all is being shut down
            return false;
        }
    }

    private @Nullable Call next() {
        Call first = gathered.poll();
        CommandCall member = member(first);
        if (member == null || member(gathered.peek()) == null) {
            return first;
        }
        List<CommandCall> members = new ArrayList<>();
        do {
            members.add(member);
            member = members.size() < GROUP ? member(gathered.peek()) : null;
            if (member != null) {
                gathered.remove();
            }
        } while (member != null);
        return new GroupCall(connection, members);
    }

    private @Nullable CommandCall member(@Nullable Call call) {
        return groups
                        && call instanceof CommandCall command
                        && !command.inGroup().isEmpty()
                ? command
                : null;
    }
}
