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
 * Sends calls to a server in the order of their arrival. Up to four calls are under way at once. Further calls gather
 * and leave as groups when one of the four is over. So a single call does not wait, and many calls at once cost
 * client and server one command instead of sixteen. Thread-safe, without locks.
 *
 * <p>The thread of the connection writes its own calls at once, and the calls of other threads later. Therefore it
 * must not send while a call of another thread is unwritten. Another thread sends in its place then.
 */
final class CallPipeline {
    /**
     * With fewer calls, a few threads wait for each other. With more, groups are small. See
     * docs/adr/0028-grouped-calls.md.
     */
    private static final int UNDER_WAY = 4;

    /**
     * The largest group. Larger groups would merge: calls that are answered together are also repeated together, and
     * client and server would take turns instead of working at the same time.
     */
    private static final int GROUP = 16;

    private final ServerConnection connection;
    private final Consumer<Call> channel;
    private final Executor other;
    private final boolean groups;
    private final Queue<Call> gathered = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();

    /** The number of calls that Lettuce has and has not written. */
    private final AtomicInteger unwritten = new AtomicInteger();

    private static final AtomicIntegerFieldUpdater<CallPipeline> ASKED =
            AtomicIntegerFieldUpdater.newUpdater(CallPipeline.class, "asked");

    /** The number of requests to send since a thread began to. One thread sends for all. */
    private volatile int asked;

    /** Calls whose dispatch an error has cut short, linked by {@link Call#cutBefore}. */
    private volatile @Nullable Call cut;

    /** True if a call was over since the last {@link #stands}. */
    private volatile boolean moved;

    /** The number of {@link #stands} in a row that have seen no call end. Belongs to the loop thread. */
    private int still;

    /** The thread that writes, or {@code null} before the first write. */
    private volatile @Nullable Thread writer;

    /**
     * Creates a pipeline.
     *
     * @param channel takes calls to write
     * @param other has a thread other than the one that writes
     * @param groups whether calls may leave as groups; otherwise no call waits for others
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

    /** Notes that the current thread writes a call. */
    void written() {
        if (writer != Thread.currentThread()) {
            writer = Thread.currentThread();
        }
        unwritten.decrementAndGet();
    }

    /** Notes that a call will not be written. */
    void unwritten() {
        unwritten.decrementAndGet();
    }

    /** Notes that a call was answered or has failed. */
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
     * Sends what an error may have left, and checks whether calls end. The loop thread calls this once a second.
     *
     * @return the number of checks in a row during which calls were under way and none of them ended
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
     * An error can occur in every call here, when the stack has ended or the heap is full. Then no thread sends any more. A field
     * write, which needs neither stack nor heap, makes the next call, answer or check begin anew. The calls that were being
     * dispatched are kept in `cut` for a thread that can report their failure.
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
                    break; // another thread has taken the call after an error
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
        } catch (RejectedExecutionException e) { // the threads are being shut down
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
