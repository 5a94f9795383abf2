// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.spi.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

/** Takes a lock away from the holder with a token, if the console may and the user has typed the name of the lock. */
final class ReleaseHandler implements HttpHandler {
    private static final int LONGEST_BODY = 16 * 1024;
    private static final JsonFactory JSON = new JsonFactory();

    private final LockClient locks;
    private final StorePoller poller;
    private final boolean allowed;
    private final PrintWriter log;

    ReleaseHandler(LockClient locks, StorePoller poller, boolean allowed, PrintWriter log) {
        this.locks = locks;
        this.poller = poller;
        this.allowed = allowed;
        this.log = log;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        if (!exchange.getRequestMethod().equals("POST")) {
            Answers.methodNotAllowed(exchange, "POST");
            return;
        }
        if (!allowed) {
            answer(exchange, 403, "This console changes nothing: it was started without --allow-force.");
            return;
        }
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        if (type == null || !type.startsWith("application/json")) {
            answer(exchange, 415, "The body must be JSON.");
            return;
        }
        byte[] body = exchange.getRequestBody().readNBytes(LONGEST_BODY + 1);
        if (body.length > LONGEST_BODY) {
            answer(exchange, 413, "The body is too long.");
            return;
        }
        try {
            release(exchange, members(body));
        } catch (IllegalArgumentException wrong) {
            answer(exchange, 400, StorePoller.message(wrong));
        } catch (BackendException outage) {
            answer(exchange, 502, StorePoller.message(outage));
        }
    }

    private void release(HttpExchange exchange, Map<String, String> request) throws IOException {
        LockKind kind = View.kind(request.getOrDefault("kind", ""));
        String name = request.getOrDefault("name", "");
        String confirmed = request.getOrDefault("confirm", "");
        if (!confirmed.equals(name) && !confirmed.equals(Printable.text(name))) {
            throw new IllegalArgumentException("confirm must be the name of the lock");
        }
        long token = token(request.getOrDefault("token", ""));
        boolean released = locks.inspector().forceRelease(kind, name, token);
        if (released) {
            log.println(Instant.now().truncatedTo(ChronoUnit.SECONDS) + " took " + kind + " '" + Printable.text(name)
                    + "' away from the holder with the fencing token " + token);
            log.flush();
        }
        poller.hurry();
        Answers.json(exchange, 200, StoreLooks.json(out -> out.object(() -> out.flag("released", released))));
    }

    private static long token(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException wrong) {
            throw new IllegalArgumentException("token must be a fencing token", wrong);
        }
    }

    /** Reads an object whose members are texts. */
    private static Map<String, String> members(byte[] body) throws IOException {
        Map<String, String> members = new HashMap<>();
        try (JsonParser parser = JSON.createParser(body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("the body must be a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                if (parser.nextToken() != JsonToken.VALUE_STRING) {
                    throw new IllegalArgumentException("each member of the body must be a text");
                }
                members.put(name, parser.getText());
            }
            return members;
        } catch (JsonProcessingException wrong) {
            throw new IllegalArgumentException("the body must be a JSON object", wrong);
        }
    }

    private static void answer(HttpExchange exchange, int status, String message) throws IOException {
        Answers.json(exchange, status, StoreLooks.problem(message));
    }
}
