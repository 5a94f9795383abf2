// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves the page, its state as server-sent events, and its buttons. Only this machine reaches it, and only the page
 * itself may press the buttons: a request must name this address as its host, and a POST must come from this page and
 * carry JSON.
 */
final class PageServer implements AutoCloseable {
    private static final long EVENTS_MILLIS = 150;
    private static final int LONGEST_BODY = 2_000;
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    private static final Map<String, String> FILES = Map.of(
            "index.html", "text/html; charset=utf-8",
            "style.css", "text/css; charset=utf-8",
            "app.js", "text/javascript; charset=utf-8",
            "shapes.js", "text/javascript; charset=utf-8",
            "labels.js", "text/javascript; charset=utf-8",
            "results.js", "text/javascript; charset=utf-8",
            "stage.js", "text/javascript; charset=utf-8",
            "icon.svg", "image/svg+xml");

    static {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // events must not wait for an acknowledgement
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "page");
        thread.setDaemon(true);
        return thread;
    });
    private final JsonMapper json = JsonMapper.builder().build();
    private final Supplier<PageState> state;
    private final Buttons buttons;
    private final Map<String, String> code;
    private final Set<String> hosts;
    private volatile boolean closed;

    /** Does what a button says. */
    @FunctionalInterface
    interface Buttons {
        /**
         * Begins the effect of a button.
         *
         * @param press the button
         * @throws IllegalArgumentException if the button does not exist
         * @throws IllegalStateException if the button has no effect now
         */
        void press(Press press);
    }

    /**
     * A button that was pressed.
     *
     * @param action such as {@code freeze}
     * @param shop the index of the shop, for the buttons of shops
     * @param sale what to sell, for {@code begin}
     */
    record Press(
            @Nullable String action,
            @Nullable Integer shop,
            @Nullable SaleSettings sale) {}

    /** The answer to a press that was refused. */
    private record Refusal(String error) {}

    /**
     * Starts the server.
     *
     * @param port the port, 0 for a free one
     * @param state supplies what the page shows
     * @param buttons does what the buttons say
     * @param code the code behind the buttons
     */
    PageServer(int port, Supplier<PageState> state, Buttons buttons, Map<String, String> code) {
        this.state = state;
        this.buttons = buttons;
        this.code = code;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The page cannot have port " + port + ": another program uses it. Choose one with --port", e);
        }
        this.hosts = Set.of("localhost:" + port(), "127.0.0.1:" + port());
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Security-Policy", POLICY);
            exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
            exchange.getResponseHeaders().set("Referrer-Policy", "no-referrer");
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            String host = exchange.getRequestHeaders().getFirst("Host");
            if (host == null || !hosts.contains(host)) {
                refuse(exchange, 403, "The host must be one of " + hosts);
                return;
            }
            String path = exchange.getRequestURI().getPath();
            switch (exchange.getRequestMethod() + " " + path) {
                case "GET /events" -> events(exchange);
                case "GET /code" -> answer(exchange, 200, "application/json", json.writeValueAsBytes(code));
                case "POST /press" -> press(exchange);
                default -> file(exchange, path.equals("/") ? "index.html" : path.substring(1));
            }
        }
    }

    private void file(HttpExchange exchange, String name) throws IOException {
        String type = FILES.get(name);
        if (type == null) {
            refuse(exchange, 404, "There is no such page");
            return;
        }
        if (!exchange.getRequestMethod().equals("GET")) {
            refuse(exchange, 405, "The method must be GET");
            return;
        }
        try (InputStream in = PageServer.class.getResourceAsStream("/page/" + name)) {
            if (in == null) {
                throw new IOException("No resource /page/" + name);
            }
            answer(exchange, 200, type, in.readAllBytes());
        }
    }

    /** Sends the state again and again, until the page is gone. */
    private void events(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        while (!closed) {
            out.write(("data: " + json.writeValueAsString(state.get()) + "\n\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
            try {
                Thread.sleep(EVENTS_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void press(HttpExchange exchange) throws IOException {
        String origin = exchange.getRequestHeaders().getFirst("Origin");
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        if (origin == null || !origin.startsWith("http://") || !hosts.contains(origin.substring("http://".length()))) {
            refuse(exchange, 403, "The origin must be this page");
            return;
        }
        if (type == null || !type.split(";")[0].strip().equals("application/json")) {
            refuse(exchange, 415, "The content type must be application/json");
            return;
        }
        byte[] body = exchange.getRequestBody().readNBytes(LONGEST_BODY + 1);
        if (body.length > LONGEST_BODY) {
            refuse(exchange, 413, "The body must have at most " + LONGEST_BODY + " bytes");
            return;
        }
        try {
            buttons.press(json.readValue(body, Press.class));
            answer(exchange, 202, "application/json", "{}".getBytes(StandardCharsets.UTF_8));
        } catch (IllegalStateException e) {
            refuse(exchange, 409, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            refuse(exchange, 400, String.valueOf(e.getMessage()));
        } catch (JacksonException e) {
            refuse(
                    exchange,
                    400,
                    e.getCause() instanceof IllegalArgumentException bad
                            ? String.valueOf(bad.getMessage())
                            : "The body must be a button, but is not: " + e.getOriginalMessage());
        }
    }

    private void refuse(HttpExchange exchange, int status, String error) throws IOException {
        answer(exchange, status, "application/json", json.writeValueAsBytes(new Refusal(error)));
    }

    private static void answer(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        closed = true;
        server.stop(0);
        threads.shutdownNow();
    }
}
