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
 * Doubts a server that was silent for so long that it may have been replaced: a master that was frozen does, when it goes on, what
 * waits in its sockets, and says so, before it learns that another one has taken its place. What comes then is kept back until
 * those who know have said whether it is the master still, and is used, or thrown away, in the order in which it came. Thread-safe.
 */
public final class StaleMasterGuard {

    /*
     * Where it stands, and what can happen there:
     *
     *   trust     something comes soon after the last: used at once. After a silence: kept back, and asked whether the server is
     *             the master still.
     *   asking    something comes: kept back behind what came before. After another silence: asked again, for the answer that is
     *             under way may be older than that. "It is", to the last question: what is kept back is used, what comes
     *             meanwhile behind it, then trust. "It is not", or nobody says so: whoever keeps the connection gives it up.
     *   over      the connection is closed. What is kept back, and what comes all the same, is thrown away.
     *
     * The order matters in one place: what comes while the kept is used must not overtake it, so there is trust again only when,
     * under the lock, nothing is left.
     */

    /** What may be kept back. */
    public interface Kept {
        /** It counts. */
        void use();

        /** It does not. */
        void drop(Throwable cause);
    }

    /** A sign of life that says nothing else. */
    static final Kept SIGN = new Kept() {
        @Override
        public void use() {}

        @Override
        public void drop(Throwable cause) {}
    };

    /**
     * Connections are pinged every second, so this is more than passes between two answers of a server that is well, and less
     * than the second of silence that a failover begins with, and the voting that follows.
     */
    public static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_200);

    private final Supplier<CompletionStage<?>> question;
    private final Consumer<Throwable> replaced;
    private final LongSupplier nanoTime;
    private final Queue<Kept> kept = new ArrayDeque<>();

    /** When something came last. */
    private volatile long heard;

    /** Whether nothing is used at once; changes under the lock. */
    private volatile boolean doubts;

    /* What follows is guarded by the lock. */
    private int questions;
    private @Nullable Throwable end;

    /**
     * No doubt yet.
     *
     * @param question asks whether the server is the master still; what it returns fails if not
     * @param replaced told why the server is not to be believed any more, perhaps more than once
     * @param nanoTime the clock
     */
    StaleMasterGuard(Supplier<CompletionStage<?>> question, Consumer<Throwable> replaced, LongSupplier nanoTime) {
        this.question = question;
        this.replaced = replaced;
        this.nanoTime = nanoTime;
        this.heard = nanoTime.getAsLong();
    }

    /** Something came: uses it, now or later, or drops it. */
    void heard(Kept what) {
        long now = nanoTime.getAsLong();
        boolean silent = now - heard >= SILENCE_NANOS;
        heard = now;
        if (!doubts && !silent || !keep(what, silent)) {
            what.use();
        }
    }

    /** Keeps it, or drops it; or says that there is no doubt any more, and nothing kept. */
    private boolean keep(Kept what, boolean silent) {
        int number = 0;
        Throwable over;
        synchronized (this) { // nothing in here, or in the others, blocks
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
            return; // the application has shut its threads down; what is kept ends with the connection
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

    /** What an answer allows to use next; nothing if it is not the one to the last question, or if nothing is left. */
    private synchronized @Nullable Kept next(int number) {
        if (number != questions || end != null) {
            return null;
        }
        Kept next = kept.poll();
        doubts = next != null;
        return next;
    }

    /** The connection is closed. */
    void end(Throwable cause) {
        synchronized (this) {
            if (end != null) {
                return;
            }
            end = cause;
            doubts = true;
        }
        // whoever comes from here on finds the end and adds nothing, and nobody takes anything away
        kept.forEach(each -> each.drop(cause));
        kept.clear();
    }
}
