// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.boltwork.LockClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.URI;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/*
 * An open page keeps one thread, which mostly sleeps. So the number of pages is bounded, and the number of threads is
 * larger by those that answer everything else. A request that takes its time to arrive is ended by the JDK's server.
 */
/** The server of the console. */
final class ConsoleServer implements AutoCloseable {
    private static final int PAGES = 32;
    private static final int OTHERS = 8;
    private static final int WAITING_REQUESTS = 200;
    private static final String SLOWEST_REQUEST_SECONDS = "10";

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final StorePoller poller;
    private final URI url;

    private ConsoleServer(HttpServer server, ThreadPoolExecutor threads, StorePoller poller, URI url) {
        this.server = server;
        this.threads = threads;
        this.poller = poller;
        this.url = url;
    }

    /**
     * Starts a server.
     *
     * @param locks the client that looks at the store
     * @param log what is told about changes
     * @throws IllegalArgumentException if the address cannot be used
     */
    static ConsoleServer start(LockClient locks, ConsoleSettings settings, PrintWriter log) throws IOException {
        System.getProperties().putIfAbsent("sun.net.httpserver.maxReqTime", SLOWEST_REQUEST_SECONDS);
        PageFiles files = new PageFiles();
        HttpServer server = bound(settings);
        ThreadPoolExecutor threads = threads();
        server.setExecutor(threads);
        StorePoller poller = new StorePoller(locks, PAGES);
        Secret token = Secret.random();
        int port = server.getAddress().getPort();
        AccessFilter access = new AccessFilter(settings, token, port);
        add(server, "/", files, access);
        add(server, "/api/live", new LiveHandler(poller, settings.allowForce()), access);
        add(server, "/api/release", new ReleaseHandler(locks, poller, settings.allowForce(), log), access);
        add(server, "/api/session", ConsoleServer::confirmSession, access);
        server.start();
        String host = settings.hosts().first() + (settings.behindProxy() ? "" : ":" + port);
        URI url = URI.create(settings.scheme() + "://" + host + "/?token=" + token.reveal());
        return new ConsoleServer(server, threads, poller, url);
    }

    private static HttpServer bound(ConsoleSettings settings) throws IOException {
        try {
            if (settings.tls() == null) {
                return HttpServer.create(settings.listen(), 0);
            }
            HttpsServer server = HttpsServer.create(settings.listen(), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(settings.tls()));
            return server;
        } catch (BindException taken) {
            throw new IllegalArgumentException(
                    "--port " + settings.listen().getPort() + " cannot be used on "
                            + settings.listen().getAddress().getHostAddress() + ": " + taken.getMessage()
                            + "; --port 0 takes a free one",
                    taken);
        }
    }

    private static ThreadPoolExecutor threads() {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                PAGES + OTHERS,
                PAGES + OTHERS,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(WAITING_REQUESTS),
                task -> {
                    Thread thread = new Thread(task, "boltwork-console-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    private static void add(HttpServer server, String path, HttpHandler handler, AccessFilter access) {
        HttpContext context = server.createContext(path, exchange -> {
            if (path.equals("/") || exchange.getRequestURI().getPath().equals(path)) {
                handler.handle(exchange);
            } else {
                Answers.text(exchange, 404, "There is no such page.");
            }
        });
        context.getFilters().add(access);
    }

    private static void confirmSession(HttpExchange exchange) throws IOException {
        if (exchange.getRequestMethod().equals("GET")) {
            Answers.empty(exchange, 204);
        } else {
            Answers.methodNotAllowed(exchange, "GET");
        }
    }

    /** Returns the URL to open, with the token. */
    URI url() {
        return url;
    }

    /** Returns the port on which it listens. */
    int port() {
        return server.getAddress().getPort();
    }

    /** Returns what looks at the store. */
    StorePoller poller() {
        return poller;
    }

    /** Ends all pages' streams and the server. Idempotent. */
    @Override
    public void close() {
        poller.close();
        server.stop(0);
        threads.shutdownNow();
    }
}
