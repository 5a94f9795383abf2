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
 * and answers the commands that wait in its sockets, before it learns that another one has taken its place.
 * Therefore, all that arrives is kept back until the server is confirmed to be the master. Then it is used, and
 * otherwise dropped, in the order of arrival. Thread-safe.
 */
public final class StaleMasterGuard {

    /*
     * States and events:
     *
     *   trust     Something arrives soon after the last: it is used at once. After a silence: it is kept back, and others are asked
     *             whether the server is still the master.
     *   asking    Something arrives: it is kept back behind the rest. After another silence: others are asked again, because the
     *             answer under way may be older. The last question is confirmed: what is kept back is used, what arrives meanwhile
     *             behind it, then trust. It is denied or not answered: the owner of the connection gives it up.
     *   over      The connection is closed. What is kept back, and what still arrives, is dropped.
     *
     * Replies that arrive while the kept ones are used must not overtake them. So trust returns only when none is left, under the lock.
     */

    /** An answer or a message that may be kept back. */
    public interface Kept {
        /** Uses it. */
        void use();

        /** Drops it. */
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

    /** True if all that arrives is kept back. Changes under the lock. */
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

    /** Uses something that has arrived, now or later, or drops it. */
    void heard(Kept what) {
        long now = nanoTime.getAsLong();
        boolean silent = now - heard >= SILENCE_NANOS;
        heard = now;
        if (!doubts && !silent || !keep(what, silent)) {
            what.use();
        }
    }

    /** Keeps or drops something that has arrived. Returns false if there is no doubt and nothing is kept back. */
    private boolean keep(Kept what, boolean silent) {
        int number = 0;
        Throwable over;
        synchronized (this) { // no synchronized block of this class blocks
            if (!doubts && !silent) {
                return false;
            }
            doubts = true;
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
            return; // the application has shut its threads down; what is kept back ends with the connection
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
     * Returns the next thing to use after a confirmation, or {@code null} if a newer question is open or nothing is
     * left.
     */
    private synchronized @Nullable Kept next(int number) {
        if (number != questions || end != null) {
            return null;
        }
        Kept next = kept.poll();
        doubts = next != null;
        return next;
    }

    /** Drops all that is kept back, and all that arrives from now on, because the connection is closed. */
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
