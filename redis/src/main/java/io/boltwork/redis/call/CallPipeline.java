package io.boltwork.redis.call;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
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
final class CallPipeline {
    /** With fewer, a few threads wait for each other; with more, groups are small. See docs/adr/0028-grouped-calls.md. */
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

    private static final AtomicIntegerFieldUpdater<CallPipeline> ASKED =
            AtomicIntegerFieldUpdater.newUpdater(CallPipeline.class, "asked");

    /** How often it was asked to send since it began to; one thread at a time does, for all. */
    private volatile int asked;

    /** Calls that an error has cut short while they were to leave, linked by {@link Call#cutBefore}. */
    private volatile @Nullable Call cut;

    /** Whether a call was over since {@link #stands} looked last. */
    private volatile boolean moved;

    /** How often {@link #stands} has seen nothing move. Touched by the clerk alone. */
    private int still;

    /** The thread that writes, once it has. */
    private volatile @Nullable Thread writer;

    /**
     * An outlet through which nothing has left.
     *
     * @param channel takes calls to be written
     * @param other has a thread that is not the one that writes them
     * @param groups whether calls may go out as groups; else none waits for others
     */
    CallPipeline(ServerConnection connection, Consumer<Call> channel, Executor other, boolean groups) {
        this.connection = connection;
        this.groups = groups;
        this.channel = channel;
        this.other = other;
    }

    void send(Call call) {
        gathered.add(call);
        begin();
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
        if (!moved) {
            moved = true;
        }
        if (!gathered.isEmpty()) {
            begin();
        }
    }

    /**
     * Goes on with what an error may have left, and looks whether anything moves. By the clerk, once a second.
     *
     * @return for how many looks in a row calls have been under way and none of them was over
     */
    int stands() {
        if (cut != null || !gathered.isEmpty()) {
            begin();
        }
        still = moved || underWay.get() <= 0 ? 0 : still + 1;
        moved = false;
        return still;
    }

    private void begin() {
        if (ASKED.getAndIncrement(this) == 0) {
            run();
        }
    }

    /*
     * An error can come out of every call in here, where the stack has ended or the heap is full. Then no thread drains any more: a
     * field write that needs neither says so, and the next call, answer, or second begins anew. What was about to leave is kept
     * in `cut`, for a thread that can tell its failure.
     */
    private void run() {
        try {
            drain();
        } catch (Throwable error) {
            asked = 0;
            throw error;
        }
    }

    private void drain() {
        boolean writes = Thread.currentThread() == writer;
        int seen;
        do {
            seen = asked;
            failCut();
            while ((underWay.get() < UNDER_WAY || !groups) && !gathered.isEmpty()) {
                if (writes && unwritten.get() > 0 && passOn()) {
                    return;
                }
                Call next = next();
                if (next == null) {
                    break; // the writer of another thread was faster, after an error
                }
                try {
                    if (!writes) {
                        StackProbe.reach();
                    }
                    underWay.incrementAndGet();
                    next.pipeline = this;
                    unwritten.incrementAndGet();
                    next.isUnwritten = true;
                    next.dispatch(channel);
                } catch (Throwable error) {
                    next.cutBefore = cut;
                    cut = next;
                    throw error;
                }
            }
        } while (ASKED.addAndGet(this, -seen) > 0);
    }

    private void failCut() {
        for (Call failed; (failed = cut) != null; ) {
            cut = failed.cutBefore;
            failed.cutShort();
        }
    }

    private boolean passOn() {
        try {
            other.execute(this::run);
            return true;
        } catch (RejectedExecutionException e) { // all is being shut down
            return false;
        }
    }

    private @Nullable Call next() {
        Call first = gathered.poll();
        ScriptCall<?> member = member(first);
        if (member == null || member(gathered.peek()) == null) {
            return first;
        }
        List<ScriptCall<?>> members = new ArrayList<>();
        do {
            members.add(member);
            member = members.size() < GROUP ? member(gathered.peek()) : null;
            if (member != null) {
                gathered.remove();
            }
        } while (member != null);
        return new GroupCall(connection, members);
    }

    private @Nullable ScriptCall<?> member(@Nullable Call call) {
        return groups
                        && call instanceof ScriptCall<?> command
                        && !command.inGroup().isEmpty()
                ? command
                : null;
    }
}
