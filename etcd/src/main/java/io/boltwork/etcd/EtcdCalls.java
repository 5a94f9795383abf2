// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.BackendException;
import io.boltwork.spi.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends requests to the gateway of one member at a time, and waits for their answers for the command timeout at most.
 * After a failure, the next member is asked. Thread-safe.
 */
final class EtcdCalls {
    /** The codes of gRPC that etcd answers with. */
    static final int OK = 0;

    private static final int INVALID_ARGUMENT = 3;
    static final int NOT_FOUND = 5;
    private static final int PERMISSION_DENIED = 7;
    private static final int RESOURCE_EXHAUSTED = 8;
    static final int FAILED_PRECONDITION = 9;
    private static final int UNIMPLEMENTED = 12;
    private static final int UNAVAILABLE = 14;
    private static final int UNAUTHENTICATED = 16;

    private static final int HTTP_OK = 200;
    private static final int HTTP_NOT_FOUND = 404;

    private final List<URI> endpoints;
    private final EtcdOptions options;
    private final HttpClient http;
    private final AtomicInteger current = new AtomicInteger();
    private final AtomicLong term = new AtomicLong();
    private final Set<Call> open = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor guards = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "boltwork-etcd-guard");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicBoolean guarded = new AtomicBoolean();
    private volatile String token = "";
    private volatile boolean closed;

    /**
     * An answer.
     *
     * @param endpoint the member that answered
     * @param code 0, or the code of gRPC of an error that was expected
     * @param sent when the request was sent
     * @param answered when the answer had come
     */
    record Answer(URI endpoint, int code, Json body, long sent, long answered) {
        boolean isDone() {
            return code == OK;
        }

        Json header() {
            return body.object("header");
        }
    }

    /**
     * A wait of a thread for an answer. {@link HttpClient#send} is used, because {@code sendAsync} takes half as long
     * again: its answers pass through two more threads. Only an interrupt ends such a wait early.
     */
    private static final class Call {
        private final Thread thread = Thread.currentThread();
        private final long begun = System.nanoTime();
        private boolean ended;
        private boolean cut;

        /** Ends the wait if it has not ended yet. */
        synchronized void cut() {
            if (!ended) {
                cut = true;
                thread.interrupt();
            }
        }

        /** Returns whether the wait was cut. Then its interrupt is over, too. Called by the waiting thread. */
        synchronized boolean end() {
            if (!ended && cut) {
                Thread.interrupted();
            }
            ended = true;
            return cut;
        }
    }

    EtcdCalls(List<URI> endpoints, HttpClient http, EtcdOptions options) {
        this.endpoints = endpoints;
        this.http = http;
        this.options = options;
        guards.setKeepAliveTime(1, TimeUnit.SECONDS);
        guards.allowCoreThreadTimeOut(true); // an idle client has no such thread
        guards.setRejectedExecutionHandler((task, ended) -> {}); // closing has cut all waits
    }

    /** Returns the member that is asked next. */
    URI endpoint() {
        return endpoints.get(Math.floorMod(current.get(), endpoints.size()));
    }

    /** Lets others be asked than a member that has failed. */
    void leave(URI endpoint) {
        int index = current.get();
        if (endpoints.get(Math.floorMod(index, endpoints.size())).equals(endpoint)) {
            current.compareAndSet(index, index + 1);
        }
    }

    /** Returns the highest term of a leader that an answer has named. */
    long term() {
        return term.get();
    }

    /** Takes a lower term for the highest one. */
    void forgetTerm(long present) {
        term.set(present);
    }

    /**
     * Sends a request and waits for its answer.
     *
     * @param path the path below {@code /v3/}
     * @param expected the codes of errors that are answers, too
     * @throws BackendException if there is no answer, or an error that is not expected
     */
    Answer call(String path, Map<String, ?> request, Integer... expected) {
        long until = System.nanoTime() + options.commandTimeout().toNanos();
        if (token.isEmpty() && options.credentials().isPresent()) {
            authenticate(until);
        }
        String body = Json.text(request);
        Answer answer = post(path, body, until);
        if (isStranger(answer) && options.credentials().isPresent()) {
            authenticate(until); // the token has expired
            answer = post(path, body, until);
        }
        if (!answer.isDone() && !List.of(expected).contains(answer.code())) {
            throw failure(answer);
        }
        long seen = answer.header().number("raft_term");
        term.accumulateAndGet(seen, Math::max);
        return answer;
    }

    /** Returns whether a request was refused because its token was missing, too old, or unknown to the member. */
    private static boolean isStranger(Answer answer) {
        String error = answer.body().text("error");
        return answer.code() == UNAUTHENTICATED
                || answer.code() == INVALID_ARGUMENT
                        && (error.contains("user name is empty") || error.contains("auth store is old"));
    }

    private void authenticate(long until) {
        EtcdOptions.Credentials credentials = options.credentials().orElseThrow();
        token = "";
        Answer answer = post(
                "auth/authenticate",
                Json.text(Map.of("name", credentials.user(), "password", credentials.password())),
                until);
        if (!answer.isDone() && answer.code() != FAILED_PRECONDITION) { // authentication may be switched off
            throw failure(answer);
        }
        token = answer.body().text("token");
    }

    private Answer post(String path, String body, long until) {
        for (int attempt = 1; ; attempt++) {
            URI endpoint = endpoint();
            long sent = System.nanoTime();
            try {
                Duration left = Duration.ofNanos(Math.max(1, until - sent));
                return answer(endpoint, exchange(request(endpoint, path, body).timeout(left)), sent);
            } catch (IOException failed) {
                leave(endpoint);
                boolean isUnsent = failed instanceof ConnectException || failed instanceof HttpConnectTimeoutException;
                if (!isUnsent && failed instanceof HttpTimeoutException) {
                    throw new BackendException(
                            "etcd at " + endpoint + " has not answered within "
                                    + options.commandTimeout().toMillis() + " ms",
                            true,
                            failed);
                }
                if (!isUnsent || attempt == endpoints.size()) {
                    throw unreachable(failed);
                }
            }
        }
    }

    private HttpRequest.Builder request(URI endpoint, String path, String body) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(endpoint.resolve("/v3/" + path))
                .version(HttpClient.Version.HTTP_1_1)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (!token.isEmpty()) {
            builder.header("Authorization", token);
        }
        return builder;
    }

    private HttpResponse<String> exchange(HttpRequest.Builder request) throws IOException {
        Call call = new Call();
        open.add(call);
        guard();
        try {
            if (closed) {
                throw closed();
            }
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (InterruptedException interrupted) {
            if (!call.end()) {
                throw interrupted(interrupted);
            }
            if (closed) {
                throw closed();
            }
            throw new HttpTimeoutException("the answer is not complete");
        } finally {
            open.remove(call);
            call.end();
        }
    }

    private BackendException interrupted(InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return new BackendException("The wait for etcd at " + address() + " was interrupted", true, interrupted);
    }

    /** Cuts waits for answers that stop in their middle, because the timeout of a request ends with its head. */
    private void guard() {
        if (!guarded.get() && guarded.compareAndSet(false, true)) {
            long timeout = options.commandTimeout().toNanos();
            guards.schedule(() -> cutLate(timeout), timeout, TimeUnit.NANOSECONDS);
        }
    }

    private void cutLate(long timeout) {
        open.stream().filter(call -> System.nanoTime() - call.begun > timeout).forEach(Call::cut);
        guarded.set(false);
        if (!open.isEmpty()) {
            guard();
        }
    }

    private Answer answer(URI endpoint, HttpResponse<String> response, long sent) throws IOException {
        long answered = System.nanoTime();
        boolean isDone = response.statusCode() == HTTP_OK;
        Json body;
        try {
            body = Json.read(response.body());
        } catch (IOException notJson) {
            if (isDone) {
                throw notJson;
            }
            body = Json.EMPTY; // a page of some server
        }
        int code = isDone ? OK : body.has("code") ? (int) body.number("code") : httpCode(response.statusCode());
        if (code == UNAVAILABLE) {
            leave(endpoint);
        }
        return new Answer(endpoint, code, body, sent, answered);
    }

    private static int httpCode(int status) {
        return status == HTTP_NOT_FOUND ? UNIMPLEMENTED : UNAVAILABLE;
    }

    private static BackendException failure(Answer answer) {
        Json body = answer.body();
        String error = body.has("error") ? body.text("error") : "the answer is not one of etcd's gateway";
        String remedy = switch (answer.code()) {
            case RESOURCE_EXHAUSTED ->
                ". The members refuse writes until space is free: compact and defragment the database, then disarm the"
                        + " alarm";
            case UNIMPLEMENTED -> ". etcd 3.4 or later has the gateway for JSON unless it is switched off";
            case PERMISSION_DENIED -> ". The user needs the right to read and write all keys with the prefix";
            case UNAUTHENTICATED, INVALID_ARGUMENT ->
                isStranger(answer) ? ". Set the user and the password (EtcdOptions.withCredentials)" : "";
            default -> "";
        };
        boolean mayHeal = switch (answer.code()) {
            case UNIMPLEMENTED, PERMISSION_DENIED, UNAUTHENTICATED, INVALID_ARGUMENT -> false;
            default -> true;
        };
        return new BackendException("etcd at " + answer.endpoint() + " failed: " + error + remedy, mayHeal, null);
    }

    private BackendException unreachable(Throwable failed) {
        String reason = failed.getMessage();
        return new BackendException(
                "etcd at " + address() + " cannot be reached"
                        + (reason == null ? " (" + failed.getClass().getSimpleName() + ")" : ": " + reason),
                true,
                failed);
    }

    BackendException closed() {
        return new BackendException("The connection to etcd is closed", true, null);
    }

    /** Returns the members, for messages. */
    String address() {
        StringBuilder text = new StringBuilder();
        endpoints.forEach(endpoint -> text.append(text.isEmpty() ? "" : ",").append(endpoint));
        return text.toString();
    }

    /**
     * Begins to watch keys.
     *
     * @param endpoint the member that is asked
     * @return a stream of objects, which ends when the watch is lost
     * @throws BackendException if the member does not begin to answer
     */
    InputStream watch(URI endpoint, Map<String, ?> request) {
        HttpRequest asked = request(endpoint, "watch", Json.text(request))
                .header("Grpc-Metadata-hasleader", "true") // a member without a leader ends the watch
                .build();
        CompletableFuture<HttpResponse<InputStream>> answer =
                http.sendAsync(asked, HttpResponse.BodyHandlers.ofInputStream());
        try {
            return Patience.of(options.commandTimeout()).get(answer).body();
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        } catch (ExecutionException | TimeoutException failed) {
            leave(endpoint);
            throw unreachable(failed.getCause() instanceof IOException broken ? broken : failed);
        } finally {
            answer.cancel(true);
        }
    }

    /** Lets all waits end, and refuses further calls. */
    void close() {
        closed = true;
        guards.shutdownNow();
        open.forEach(Call::cut);
    }
}
