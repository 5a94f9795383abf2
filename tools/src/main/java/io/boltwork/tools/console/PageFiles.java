// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The files of the page, which are read once. No other path is answered. */
final class PageFiles implements HttpHandler {
    private static final List<String> NAMES = List.of(
            "index.html",
            "console.css",
            "icon.svg",
            "app.js",
            "dom.js",
            "live.js",
            "locks.js",
            "lock.js",
            "timeline.js",
            "release.js",
            "clients.js",
            "health.js");

    private record PageFile(String type, byte[] content) {}

    private final Map<String, PageFile> files = new HashMap<>();

    PageFiles() {
        for (String name : NAMES) {
            files.put("/" + name, read(name));
        }
        files.put("/", read("index.html"));
    }

    private static PageFile read(String name) {
        try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the file " + name + " of the console is missing in the jar");
            }
            return new PageFile(type(name), in.readAllBytes());
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static String type(String name) {
        return switch (name.substring(name.indexOf('.'))) {
            case ".html" -> "text/html; charset=utf-8";
            case ".css" -> "text/css; charset=utf-8";
            case ".svg" -> "image/svg+xml";
            default -> "text/javascript; charset=utf-8";
        };
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        PageFile file = files.get(exchange.getRequestURI().getPath());
        if (file == null) {
            Answers.text(exchange, 404, "There is no such page.");
        } else if (!List.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
            Answers.methodNotAllowed(exchange, "GET, HEAD");
        } else {
            Answers.body(exchange, 200, file.type(), file.content());
        }
    }
}
