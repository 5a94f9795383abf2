// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** Sends an open page what it shows, as server-sent events, until the page or the console is closed. */
final class LiveHandler implements HttpHandler {
    private static final Duration HEARTBEAT = Duration.ofSeconds(3);

    private final StorePoller poller;
    private final boolean allowForce;

    LiveHandler(StorePoller poller, boolean allowForce) {
        this.poller = poller;
        this.allowForce = allowForce;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        if (!exchange.getRequestMethod().equals("GET")) {
            Answers.methodNotAllowed(exchange, "GET");
            return;
        }
        OpenPage page;
        try {
            page = new OpenPage(View.of(UrlParameters.of(exchange)));
        } catch (IllegalArgumentException wrong) {
            Answers.text(exchange, 400, StorePoller.message(wrong));
            return;
        }
        if (!poller.open(page)) {
            exchange.getResponseHeaders().set("Retry-After", "5");
            Answers.text(exchange, 503, "Too many pages of the console are open.");
            return;
        }
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
            exchange.getResponseHeaders().set("X-Accel-Buffering", "no"); // nginx would collect events
            exchange.sendResponseHeaders(200, 0);
            send(page, exchange.getResponseBody());
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        } finally {
            poller.close(page);
        }
    }

    private void send(OpenPage page, OutputStream out) throws IOException, InterruptedException {
        write(
                out,
                "retry: 1000\n"
                        + event(
                                "hello",
                                StoreLooks.json(json -> json.object(() -> {
                                    json.flag("allowForce", allowForce);
                                    json.number("pid", ProcessHandle.current().pid());
                                }))));
        while (!page.isClosed()) {
            Map<String, String> events = page.take(HEARTBEAT);
            StringBuilder text = new StringBuilder();
            events.forEach((name, json) -> text.append(event(name, json)));
            write(out, text.isEmpty() ? event("beat", "{}") : text.toString());
        }
    }

    private static String event(String name, String json) {
        return "event: " + name + "\ndata: " + json + "\n\n";
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
