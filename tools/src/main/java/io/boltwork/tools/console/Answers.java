// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Sends answers and ends the exchange. */
final class Answers {
    private Answers() {}

    static void text(HttpExchange exchange, int status, String text) throws IOException {
        body(exchange, status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    static void json(HttpExchange exchange, int status, String json) throws IOException {
        body(exchange, status, "application/json", json.getBytes(StandardCharsets.UTF_8));
    }

    static void methodNotAllowed(HttpExchange exchange, String allowed) throws IOException {
        exchange.getResponseHeaders().set("Allow", allowed);
        text(exchange, 405, "Only " + allowed + " is possible here.");
    }

    static void empty(HttpExchange exchange, int status) throws IOException {
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    static void body(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }
}
