package io.boltwork.examples.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.Await;
import io.boltwork.testkit.ChildJvm;
import io.boltwork.testkit.RedisServer;
import io.boltwork.testkit.Slack;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sale over two JVMs: never an item too many, never one too few. */
class FlashSaleWebTest {
    private static final int BUYERS = 100;
    private static final int ROUNDS = Boolean.getBoolean("boltwork.proof") ? 100 : 2;
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static RedisServer redis;
    private static List<Integer> ports;
    private static List<ChildJvm> shops;

    @BeforeAll
    static void open() throws IOException {
        redis = RedisServer.start();
        ports = List.of(freePort(), freePort());
        String both = "--sale.shops=http://127.0.0.1:" + ports.get(0) + ",http://127.0.0.1:" + ports.get(1);
        shops = ports.stream()
                .map(port -> FlashSaleDemo.shop(redis, port, "--sale.work=2ms", both))
                .toList();
        for (int port : ports) {
            Await.within(Duration.ofSeconds(60), "the shop on " + port + " is open", () -> answers(port));
        }
    }

    @AfterAll
    static void close() {
        if (shops != null) {
            shops.forEach(ChildJvm::close);
        }
        redis.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/lock-decrease-stock",
                "/trylock-decrease-stock",
                "/annotation-lock-decrease-stock",
                "/annotatin-lock-decrease-stock"
            })
    void sellsWhatIsThereAndNotMore(String endpoint) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            assertThat(post(ports.get(0), "/stock?items=10")).isEqualTo("10");
            List<CompletableFuture<String>> buyers = IntStream.range(0, BUYERS)
                    .mapToObj(i -> HTTP.sendAsync(
                                    request(ports.get(i % 2), endpoint).build(), text())
                            .thenApply(HttpResponse::body))
                    .toList();
            int sold = 0;
            for (CompletableFuture<String> buyer : buyers) {
                String answer = buyer.get(Slack.of(Duration.ofSeconds(60)).toMillis(), TimeUnit.MILLISECONDS);
                assertThat(answer).isIn("sold", "sold out");
                sold += answer.equals("sold") ? 1 : 0;
            }
            assertThat(sold).isEqualTo(10);
            assertThat(redis.command("GET", "sale:stock")).isEqualTo("0");
        }
    }

    @Test
    void thePageFollowsTheSaleInAChromium(@TempDir Path directory) throws Exception {
        assumeTrue(Chromium.installed().isPresent(), "SKIPPED: no Chromium to show the page with");
        String url = "http://127.0.0.1:" + ports.get(0) + "/";
        try (Chromium browser = new Chromium(Chromium.installed().orElseThrow(), directory, url)) {
            Await.until(
                    "the page is there",
                    () -> browser.evaluate("document.readyState").contains("complete"));
            browser.evaluate("document.getElementById('locked-100').click()");
            Await.within(
                    Duration.ofSeconds(60),
                    "sold out, as the page says",
                    () -> browser.evaluate("document.getElementById('verdict').textContent")
                            .contains("Sold out, not one too many"));
            assertThat(browser.evaluate("document.getElementById('sold').textContent"))
                    .contains("\"value\":\"10\"");
            assertThat(browser.evaluate("document.getElementById('stock').textContent"))
                    .contains("\"value\":\"0\"");
            String keep = System.getProperty("boltwork.screenshot");
            if (keep != null) {
                Files.write(Path.of(keep), browser.screenshot());
            }
        }
        assertThat(redis.command("HGET", "sale:counts", "sold")).isEqualTo("10");
    }

    private static boolean answers(int port) {
        try {
            return HTTP.send(request(port, "/").build(), text()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String post(int port, String path) throws Exception {
        return HTTP.send(
                        request(port, path)
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        text())
                .body();
    }

    private static HttpRequest.Builder request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    private static HttpResponse.BodyHandler<String> text() {
        return HttpResponse.BodyHandlers.ofString();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
