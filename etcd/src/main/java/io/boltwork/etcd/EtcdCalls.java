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
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
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
    private final Set<CompletableFuture<?>> open = ConcurrentHashMap.newKeySet();
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

    /** A response of the gateway. */
    private record Response(int status, String body) {}

    EtcdCalls(List<URI> endpoints, HttpClient http, EtcdOptions options) {
        this.endpoints = endpoints;
        this.http = http;
        this.options = options;
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
        Patience patience = Patience.of(options.commandTimeout());
        if (token.isEmpty() && options.credentials().isPresent()) {
            authenticate(patience);
        }
        String body = Json.text(request);
        Answer answer = post(path, body, patience);
        if (isStranger(answer) && options.credentials().isPresent()) {
            authenticate(patience); // the token has expired
            answer = post(path, body, patience);
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

    private void authenticate(Patience patience) {
        EtcdOptions.Credentials credentials = options.credentials().orElseThrow();
        token = "";
        Answer answer = post(
                "auth/authenticate",
                Json.text(Map.of("name", credentials.user(), "password", credentials.password())),
                patience);
        if (!answer.isDone() && answer.code() != FAILED_PRECONDITION) { // authentication may be switched off
            throw failure(answer);
        }
        token = answer.body().text("token");
    }

    private Answer post(String path, String body, Patience patience) {
        for (int attempt = 1; ; attempt++) {
            URI endpoint = endpoint();
            long sent = System.nanoTime();
            try {
                return answer(endpoint, exchange(request(endpoint, path, body), patience), sent);
            } catch (IOException failed) {
                leave(endpoint);
                boolean isUnsent = failed instanceof ConnectException || failed instanceof HttpConnectTimeoutException;
                if (!isUnsent || attempt == endpoints.size()) {
                    throw unreachable(failed);
                }
            } catch (TimeoutException late) {
                leave(endpoint);
                throw new BackendException(
                        "etcd at " + endpoint + " has not answered within "
                                + options.commandTimeout().toMillis() + " ms",
                        true,
                        late);
            }
        }
    }

    private HttpRequest request(URI endpoint, String path, String body) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(endpoint.resolve("/v3/" + path))
                .version(HttpClient.Version.HTTP_1_1)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (!token.isEmpty()) {
            builder.header("Authorization", token);
        }
        return builder.build();
    }

    /** Sends a request. Waits for the body itself, because the client completes its response two threads later. */
    private Response exchange(HttpRequest request, Patience patience) throws IOException, TimeoutException {
        CompletableFuture<Response> answer = new CompletableFuture<>();
        CompletableFuture<?> exchange = http.sendAsync(request, head -> {
            HttpResponse.BodySubscriber<String> text = HttpResponse.BodySubscribers.ofString(StandardCharsets.UTF_8);
            text.getBody().thenAccept(body -> answer.complete(new Response(head.statusCode(), body)));
            return text;
        });
        exchange.whenComplete((response, failed) -> {
            if (failed != null) {
                answer.completeExceptionally(failed);
            }
        });
        boolean isDone = false;
        try {
            Response response = await(answer, patience);
            isDone = true;
            return response;
        } finally {
            if (!isDone) {
                exchange.cancel(true);
            }
        }
    }

    private <T> T await(CompletableFuture<T> answer, Patience patience) throws IOException, TimeoutException {
        open.add(answer);
        try {
            if (closed) {
                throw closed();
            }
            return patience.get(answer);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BackendException("The wait for etcd at " + address() + " was interrupted", true, interrupted);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof IOException broken) {
                throw broken;
            }
            throw unreachable(failed);
        } catch (CancellationException end) {
            throw closed();
        } finally {
            open.remove(answer);
            answer.cancel(true);
        }
    }

    private Answer answer(URI endpoint, Response response, long sent) throws IOException {
        long answered = System.nanoTime();
        boolean isDone = response.status() == HTTP_OK;
        Json body;
        try {
            body = Json.read(response.body());
        } catch (IOException notJson) {
            if (isDone) {
                throw notJson;
            }
            body = Json.EMPTY; // a page of some server
        }
        int code = isDone ? OK : body.has("code") ? (int) body.number("code") : httpCode(response.status());
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
        HttpRequest asked = HttpRequest.newBuilder(
                        request(endpoint, "watch", Json.text(request)), (name, value) -> true)
                .header("Grpc-Metadata-hasleader", "true") // a member without a leader ends the watch
                .build();
        try {
            return await(
                            http.sendAsync(asked, HttpResponse.BodyHandlers.ofInputStream()),
                            Patience.of(options.commandTimeout()))
                    .body();
        } catch (IOException | TimeoutException failed) {
            leave(endpoint);
            throw unreachable(failed);
        }
    }

    /** Lets all waits end, and refuses further calls. */
    void close() {
        closed = true;
        open.forEach(answer -> answer.cancel(true));
    }
}
