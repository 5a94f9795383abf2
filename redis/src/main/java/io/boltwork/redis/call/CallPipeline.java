// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls to a server in the order of their arrival. Up to four calls are under way at once. Further calls gather
 * and leave as groups when one of the four is over. Thus a single call does not wait, while many calls at once cost
 * client and server only one command for up to sixteen of them. Thread-safe, without locks.
 *
 * <p>The thread of the connection writes its own calls at once, and the calls of other threads later. Therefore it must
 * not send while a call of another thread is unwritten. In that case, another thread sends in its place.
 */
final class CallPipeline {
    /**
     * The maximum number of calls under way. If it were smaller, even a few threads would wait for one another. If it
     * were larger, groups would be small. See docs/inside/adr/0028-grouped-calls.md.
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

    /** The number of calls that were passed to Lettuce and have not been written yet. */
    private final AtomicInteger unwritten = new AtomicInteger();

    private static final AtomicIntegerFieldUpdater<CallPipeline> ASKED =
            AtomicIntegerFieldUpdater.newUpdater(CallPipeline.class, "asked");

    /** The number of requests to send since a thread began sending. That thread sends for all. */
    private volatile int asked;

    private static final AtomicReferenceFieldUpdater<CallPipeline, @Nullable Thread> GATHERING =
            AtomicReferenceFieldUpdater.newUpdater(CallPipeline.class, Thread.class, "gathering");

    /** The thread whose calls gather until it has sent all of them; {@code null} if there is none. */
    private volatile @Nullable Thread gathering;

    /** The calls that it has sent so far. Belongs to that thread. */
    private List<Call> together = new ArrayList<>();

    /** Calls whose dispatch was interrupted by an error, linked by {@link Call#cutBefore}. */
    private volatile @Nullable Call cut;

    /** True if a call has ended since the last {@link #stands}. */
    private volatile boolean moved;

    /** The number of consecutive {@link #stands} during which no call has ended. Belongs to the loop thread. */
    private int still;

    /** The thread that writes, or {@code null} before the first write. */
    private volatile @Nullable Thread writer;

    /**
     * Creates a pipeline.
     *
     * @param channel takes calls to write
     * @param other an executor with a thread other than the one that writes
     * @param groups whether calls may leave as groups; otherwise no call waits for others
     */
    CallPipeline(ServerConnection connection, Consumer<Call> channel, Executor other, boolean groups) {
        this.connection = connection;
        this.groups = groups;
        this.channel = channel;
        this.other = other;
    }

    void send(Call call) {
        if (gathering == Thread.currentThread()) {
            together.add(call);
        } else {
            gathered.add(call);
            begin();
        }
    }

    /**
     * Runs an action, and sends the calls that it sends on this thread afterwards, as groups. If another thread does
     * the same just now, the calls are sent at once.
     */
    void together(Runnable sends) {
        if (!GATHERING.compareAndSet(this, null, Thread.currentThread())) {
            sends.run();
            return;
        }
        try {
            sends.run();
        } finally {
            List<Call> calls = together;
            together = new ArrayList<>();
            gathering = null;
            gathered.addAll(calls); // in one step, so that no other thread sends some of them
            begin();
        }
    }

    /** Returns the number of calls that were sent and are not answered, and one more than allowed if others gather. */
    int underWay() {
        return gathered.isEmpty() ? underWay.get() : Math.max(underWay.get(), UNDER_WAY) + 1;
    }

    /** Counts a call as written by the current thread. */
    void written() {
        if (writer != Thread.currentThread()) {
            writer = Thread.currentThread();
        }
        unwritten.decrementAndGet();
    }

    /** Counts out a call that will not be written. */
    void unwritten() {
        unwritten.decrementAndGet();
    }

    /** Counts out a call that was answered or has failed, and begins to write gathered calls. */
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
     * Sends calls that an error may have left behind, and checks whether calls end. The loop thread calls this once a
     * second.
     *
     * @return the number of consecutive checks during which calls were under way and none of them ended
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
     * Every method call here can end with an error, if the stack or the heap is exhausted. After that, no thread would
     * send any more. A field write, which needs neither stack nor heap, lets the next call, answer or check start
     * again. Calls that were being dispatched are kept in `cut` until a thread can report their failure.
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
