// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.address;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.BackendException;
import io.boltwork.spi.Durations;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The credentials that a provider of the application gives to one backend. The provider may block, and is called on a
 * thread of its own. Everything except {@link #latest}, {@link #refused} and {@link #mayBeOld} belongs to the loop
 * thread.
 */
public final class ChangingCredentials implements RedisCredentialsProvider {

    /*
     * Rules:
     *
     *   A new connection asks the provider, or joins the question under way. If the provider says when its credentials
     *   end, they serve for three quarters of that time, or until a server refuses them.
     *   A connection logs in anew when `latest` is not what it has logged in with (Login). Equal credentials stay the
     *   same object.
     *
     * Races:
     *
     *   The provider answers with what ends a moment later: the server refuses it, and the next attempt asks again.
     *   The provider answers with what the server does not accept yet: the connection keeps its old login, and asks
     *   again. New connections are an outage until then.
     *   A question takes too long: it fails, and its thread is interrupted. Until that thread ends, all others fail
     *   with it, so there is never a second thread.
     */

    /** The credentials of an answer younger than this are not in doubt if a right is missing. */
    private static final long TRUST = TimeUnit.SECONDS.toNanos(5);

    private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);
    private static final Duration LEAST = Duration.ofSeconds(1);

    private record Given(
            RedisCredentials credentials, @Nullable Instant renewAt, long askedAt) {
        boolean isDue() {
            return renewAt != null && !Instant.now().isBefore(renewAt);
        }
    }

    private final RedisCredentialsProvider provider;
    private final String server;
    private final Executor loop;
    private final Duration limit;
    private final Function<Runnable, Runnable> timer;
    private final Function<RedisCredentials, @Nullable Instant> end;

    private volatile @Nullable Given latest;

    /** True if a server has refused what was given last. */
    private volatile boolean doubted;

    private volatile boolean closed;
    private @Nullable Question question;
    private long askAfter = System.nanoTime();
    private boolean warned;
    private Runnable unsubscribe = () -> {};

    /**
     * Creates credentials. Does not ask the provider yet, unless it has a stream.
     *
     * @param server the name of what the credentials are for, in messages
     * @param limit how long the provider may take
     * @param timer runs an action on the loop thread after that time; returns an action that prevents it
     * @param end tells when credentials end; {@code null} if that is not known
     */
    public ChangingCredentials(
            RedisCredentialsProvider provider,
            String server,
            Executor loop,
            Duration limit,
            Function<Runnable, Runnable> timer,
            Function<RedisCredentials, @Nullable Instant> end) {
        this.provider = provider;
        this.server = server;
        this.loop = loop;
        this.limit = limit;
        this.timer = timer;
        this.end = end;
        if (provider.supportsStreaming()) {
            unsubscribe = provider.credentials()
                            .map(given -> given(given, System.nanoTime()))
                            .subscribe(
                                    given -> onLoop(() -> take(given)), failure -> onLoop(() -> warn(failed(failure))))
                    ::dispose;
        }
    }

    /** Returns the credentials for a new connection. May be called on any thread; completes on the loop thread. */
    CompletableFuture<RedisCredentials> forConnection() {
        CompletableFuture<RedisCredentials> answer = new CompletableFuture<>();
        boolean runs = onLoop(() -> {
            Given last = latest;
            if (last != null && last.renewAt != null && !last.isDue() && !doubted) {
                answer.complete(last.credentials);
            } else {
                ask().answer.whenComplete((given, failure) -> {
                    if (failure == null) {
                        answer.complete(given);
                    } else {
                        answer.completeExceptionally(failure);
                    }
                });
            }
        });
        if (!runs) {
            answer.completeExceptionally(failure("is not asked any more, because the backend was closed", null));
        }
        return answer;
    }

    @Override
    public Mono<RedisCredentials> resolveCredentials() {
        return Mono.fromFuture(this::forConnection);
    }

    /** Returns the credentials that were given last, or {@code null} if the provider has not answered yet. */
    @Nullable
    RedisCredentials latest() {
        Given last = latest;
        return last == null ? null : last.credentials;
    }

    /** Asks the provider if the latest credentials end soon or were refused. */
    void renew() {
        Given last = latest;
        boolean isDue = last != null && (last.isDue() || doubted);
        if (isDue && !closed && question == null && System.nanoTime() - askAfter >= 0) {
            ask().answer.whenComplete((given, failure) -> {
                if (failure != null) {
                    warn(String.valueOf(failure.getMessage()));
                }
            });
        }
    }

    /** Notes that a server has refused a login with these credentials. */
    void refused(RedisCredentials used) {
        if (used == latest()) {
            doubted = true;
        }
    }

    /**
     * Returns whether the provider may have others by now, because a user that was replaced has lost its rights. If so,
     * the provider is asked.
     */
    boolean mayBeOld(RedisCredentials used) {
        Given last = latest;
        if (last != null && last.credentials == used) {
            if (System.nanoTime() - last.askedAt < TRUST) {
                return false;
            }
            doubted = true;
        }
        return true;
    }

    /** Stops asking. */
    public void close() {
        closed = true;
        unsubscribe.run();
        onLoop(() -> {
            if (question != null) {
                question.thread.interrupt();
            }
        });
    }

    private Question ask() {
        Question asked = question;
        if (asked == null) {
            asked = new Question();
            question = asked;
            askAfter = asked.askedAt + PAUSE;
            asked.begin();
        }
        return asked;
    }

    /** Asks the provider once. */
    private final class Question {
        final CompletableFuture<RedisCredentials> answer = new CompletableFuture<>();
        final long askedAt = System.nanoTime();
        final Thread thread = new Thread(this::run, "boltwork-credentials");
        private Runnable inTime = () -> {};

        void begin() {
            inTime = timer.apply(this::late);
            thread.setDaemon(true);
            thread.start();
        }

        private void late() {
            answer.completeExceptionally(failure("has not answered within " + Durations.text(limit), null));
            thread.interrupt();
        }

        private void run() {
            Given given = null;
            Throwable failure = null;
            try {
                RedisCredentials answered =
                        provider.resolveCredentials().toFuture().get();
                given = answered == null ? null : given(answered, askedAt);
            } catch (ExecutionException e) {
                failure = e.getCause();
            } catch (Throwable e) { // the application's code may throw anything
                failure = e;
            }
            Given taken = given;
            Throwable why = failure;
            onLoop(() -> answered(taken, why));
        }

        private void answered(@Nullable Given given, @Nullable Throwable why) {
            question = null;
            inTime.run();
            if (given != null) {
                answer.complete(take(given));
            } else {
                answer.completeExceptionally(failure(why == null ? "has returned no credentials" : failed(why), why));
            }
        }
    }

    private Given given(RedisCredentials answered, long askedAt) {
        Instant ends = end.apply(answered);
        Instant renewAt = null;
        if (ends != null) {
            Instant now = Instant.now();
            Duration serves = Duration.between(now, ends).multipliedBy(3).dividedBy(4);
            renewAt = now.plus(serves.compareTo(LEAST) < 0 ? LEAST : serves);
        }
        // a copy, because applications may overwrite the password after use
        char[] password = answered.hasPassword() ? answered.getPassword().clone() : null;
        return new Given(RedisCredentials.just(answered.getUsername(), password), renewAt, askedAt);
    }

    private RedisCredentials take(Given given) {
        RedisCredentials last = latest();
        Given taken =
                last != null && given.credentials.equals(last) ? new Given(last, given.renewAt, given.askedAt) : given;
        latest = taken;
        doubted = false;
        warned = false;
        return taken.credentials;
    }

    private BackendException failure(String what, @Nullable Throwable cause) {
        return new BackendException("Cannot log in to " + server + ": the credentials provider " + what, true, cause);
    }

    private static String failed(Throwable why) {
        return "has failed: " + why;
    }

    /** Warns of a login that could not be renewed, once until the provider answers again. */
    void warn(String why) {
        if (!warned && !closed) {
            warned = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The login to {0} could not be renewed, so it may end: {1}",
                    server,
                    why);
        }
    }

    boolean onLoop(Runnable action) {
        try {
            loop.execute(action);
            return true;
        } catch (RejectedExecutionException e) { // the threads have ended, and so have the connections
            return false;
        }
    }
}
