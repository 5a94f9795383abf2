// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.redis.address.Errors;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Doubts a server that was silent for so long that it may have been replaced. A master that was frozen first executes
 * and answers the commands that wait in its sockets, before it learns that another one has taken its place. Therefore,
 * everything that arrives is held back until the server is confirmed as the master. It is then used in the order of
 * arrival, or dropped if the server is not confirmed. Thread-safe.
 */
public final class StaleMasterGuard {

    /*
     * States and events:
     *
     *   trust     Something arrives soon after the last arrival: it is used at once. Something arrives after a silence:
     *             it is held back, and other servers are asked whether this server is still the master.
     *   asking    Something arrives: it is held back behind the rest. Something arrives after another silence: other
     *             servers are asked again, because the answer under way may be older. The last question is confirmed:
     *             everything held back is used, and behind it everything that arrives meanwhile; then trust. The last
     *             question is denied or not answered: the owner of the connection gives the connection up.
     *   over      The connection is closed. Everything that is held back or still arrives is dropped.
     *
     * Replies that arrive while those held back are used must not overtake them. Therefore trust returns only when none
     * is left, under the lock.
     */

    /** An answer or a message that may be held back. */
    public interface Kept {
        /** Uses this answer or message. */
        void use();

        /** Drops this answer or message. */
        void drop(Throwable cause);
    }

    /** A sign of life without other content. */
    static final Kept SIGN = new Kept() {
        @Override
        public void use() {}

        @Override
        public void drop(Throwable cause) {}
    };

    /**
     * The silence after which a server is doubted. Connections are pinged every second, so this is longer than the
     * time between two answers of a healthy server. It is shorter than a failover, which begins with a second of
     * silence and goes on with voting.
     */
    public static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_200);

    private final Supplier<CompletionStage<?>> question;
    private final Consumer<Throwable> replaced;
    private final LongSupplier nanoTime;
    private final Queue<Kept> kept = new ArrayDeque<>();

    /** The time of the last arrival. */
    private volatile long heard;

    /** True if everything that arrives is held back. Changes only under the lock. */
    private volatile boolean doubts;

    /* The following fields are guarded by the lock. */
    private int questions;
    private @Nullable Throwable end;

    /**
     * Creates a guard that trusts the server.
     *
     * @param question asks whether the server is still the master, and fails if not
     * @param replaced called, perhaps more than once, with the reason why the server is not trusted any more
     * @param nanoTime the clock
     */
    StaleMasterGuard(Supplier<CompletionStage<?>> question, Consumer<Throwable> replaced, LongSupplier nanoTime) {
        this.question = question;
        this.replaced = replaced;
        this.nanoTime = nanoTime;
        this.heard = nanoTime.getAsLong();
    }

    /** Uses an answer or message that has arrived, now or later, or drops it. */
    void heard(Kept what) {
        long now = nanoTime.getAsLong();
        if (now - heard < SILENCE_NANOS && !doubts) { // in this order: see keep()
            heard = now;
            what.use();
        } else if (!keep(what, now)) {
            what.use();
        }
    }

    /** Holds back or drops an answer or message. Returns false, and does neither, if the server is not doubted. */
    private boolean keep(Kept what, long now) {
        int number = 0;
        Throwable over;
        synchronized (this) { // no synchronized block of this class blocks
            boolean silent = now - heard >= SILENCE_NANOS;
            if (silent) {
                doubts = true; // before `heard`, because answers to callers arrive on other threads
            }
            heard = now;
            if (!doubts) {
                return false;
            }
            over = end;
            if (over == null) {
                kept.add(what);
                number = silent ? ++questions : 0;
            }
        }
        if (over != null) {
            what.drop(over);
        } else if (number > 0) {
            ask(number);
        }
        return true;
    }

    private void ask(int number) {
        CompletionStage<?> answer;
        try {
            answer = question.get();
        } catch (RejectedExecutionException e) {
            return; // the application has shut its threads down; what is held back ends with the connection
        }
        answer.whenComplete((itIs, failure) -> {
            if (failure == null) {
                useKept(number);
            } else {
                replaced.accept(Errors.unwrap(failure));
            }
        });
    }

    private void useKept(int number) {
        for (Kept next = next(number); next != null; next = next(number)) {
            next.use();
        }
    }

    /**
     * Returns the next answer or message to use after a confirmation, or {@code null} if a newer question is open or
     * nothing is left.
     */
    private synchronized @Nullable Kept next(int number) {
        if (number != questions || end != null) {
            return null;
        }
        Kept next = kept.poll();
        doubts = next != null;
        return next;
    }

    /** Drops everything that is held back or arrives from now on, because the connection is closed. */
    void end(Throwable cause) {
        synchronized (this) {
            if (end != null) {
                return;
            }
            end = cause;
            doubts = true;
        }
        // from here on, no thread adds or removes anything
        kept.forEach(each -> each.drop(cause));
        kept.clear();
    }
}
