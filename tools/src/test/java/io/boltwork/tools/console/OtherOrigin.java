// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A site that is not the console, such as a web mail: a link to the console with its token, and attempts at more. */
final class OtherOrigin implements AutoCloseable {
    private static final String PAGE = """
        <!doctype html><title>Mail</title>
        <a id="page" href="%s">The console</a> <a id="events" href="%s">Its events</a>
        <a id="file" href="%s">A file</a>
        <form method="post" enctype="text/plain" action="%s">
        <input name="{" value="}"><button>Take it away</button></form>
        """;

    private final HttpServer server;

    private OtherOrigin(HttpServer server) {
        this.server = server;
    }

    static OtherOrigin start(ConsoleServer console) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] page = PAGE.formatted(
                        console.url(),
                        console.url().resolve("/api/live?view=locks"),
                        console.url().resolve("/app.js"),
                        console.url().resolve("/api/release"))
                .getBytes(StandardCharsets.UTF_8);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            exchange.getResponseHeaders().set("Referrer-Policy", "unsafe-url");
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
        return new OtherOrigin(server);
    }

    /** Returns its URL. Its host is another site for browsers than the one of the console's URL, 127.0.0.1. */
    String url() {
        return "http://localhost:" + server.getAddress().getPort() + "/";
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
