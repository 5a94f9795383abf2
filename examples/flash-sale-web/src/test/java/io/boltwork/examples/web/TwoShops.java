// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** A Redis server and two JVMs, each with a shop. */
final class TwoShops implements AutoCloseable {
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final RedisServer redis = RedisServer.start();
    private final List<ChildJvm> shops = new ArrayList<>();
    private final List<Integer> ports;

    TwoShops(String... settings) throws IOException {
        ports = List.of(freePort(), freePort());
        List<String> all = new ArrayList<>(List.of(settings));
        try {
            ports.forEach(port -> shops.add(FlashSaleDemo.shop(redis, port, all.toArray(String[]::new))));
            for (int shop = 0; shop < 2; shop++) {
                int each = shop;
                Await.within(Duration.ofSeconds(60), "shop " + shop + " is open", () -> isOpen(each));
            }
        } catch (RuntimeException | AssertionError e) {
            close();
            throw e;
        }
    }

    RedisServer redis() {
        return redis;
    }

    ChildJvm jvm(int shop) {
        return shops.get(shop);
    }

    String url(int shop, String path) {
        return "http://127.0.0.1:" + ports.get(shop) + path;
    }

    /** Sends many requests to the shops in turn. */
    List<CompletableFuture<HttpResponse<String>>> crowd(int count, String path) {
        return IntStream.range(0, count).mapToObj(i -> ask(i % 2, path)).toList();
    }

    CompletableFuture<HttpResponse<String>> ask(int shop, String path) {
        return http.sendAsync(
                HttpRequest.newBuilder(URI.create(url(shop, path))).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Fills the stock. */
    void open(int items) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url(0, "/stock?items=" + items)))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        String left = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        if (!left.equals(Integer.toString(items))) {
            throw new AssertionError("The stock is not " + items + ": " + left);
        }
    }

    static HttpResponse<String> answer(CompletableFuture<HttpResponse<String>> asked) throws Exception {
        return asked.get(Slack.of(Duration.ofSeconds(90)).toMillis(), TimeUnit.MILLISECONDS);
    }

    private boolean isOpen(int shop) {
        try {
            return answer(ask(shop, "/worked")).statusCode() == 200;
        } catch (Exception notYet) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        shops.forEach(ChildJvm::close);
        redis.close();
    }
}
