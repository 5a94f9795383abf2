// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Only the page itself can press the buttons of the demo, and each bad request gets one clear error. */
class PageServerTest {
    private static FlashSaleDemo demo;
    private static int port;

    @BeforeAll
    static void open() {
        demo = new FlashSaleDemo(0);
        port = URI.create(demo.url()).getPort();
    }

    @AfterAll
    static void close() {
        demo.close();
    }

    /** Sends a request without the help of a client, which would set the host by itself. */
    private static String send(String method, String path, String host, String headers, String body)
            throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            String request = method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + headers
                    + "Content-Length: " + body.length() + "\r\n\r\n" + body;
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String press(String body) throws IOException {
        return send("POST", "/press", "localhost:" + port, own(), body);
    }

    private static String own() {
        return "Origin: http://localhost:" + port + "\r\nContent-Type: application/json\r\n";
    }

    @Test
    void itListensOnlyOnOneLoopbackAddress() {
        assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new Socket("127.0.0.2", port).close());
    }

    @Test
    void thePageLoadsNothingFromOutside() throws IOException {
        String page = send("GET", "/", "localhost:" + port, "", "");
        assertThat(page).startsWith("HTTP/1.1 200 ").doesNotContain("://").doesNotContain("style=");
        assertThat(page.toLowerCase(Locale.ROOT))
                .contains("content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';")
                .doesNotContain("unsafe-inline");
    }

    @Test
    void anotherHostIsRefused() throws IOException {
        assertThat(send("GET", "/", "evil.example:" + port, "", "")).startsWith("HTTP/1.1 403 ");
        assertThat(send("GET", "/events", "evil.example", "", "")).startsWith("HTTP/1.1 403 ");
    }

    @Test
    void anotherOriginIsRefused() throws IOException {
        String json = "Content-Type: application/json\r\n";
        String body = "{\"action\":\"stop\"}";
        for (String origin : List.of("", "Origin: null\r\n", "Origin: http://evil.example\r\n")) {
            assertThat(send("POST", "/press", "localhost:" + port, origin + json, body))
                    .startsWith("HTTP/1.1 403 ")
                    .contains("The origin must be this page");
        }
    }

    @Test
    void onlyJsonIsAccepted() throws IOException {
        String form = own().replace("application/json", "text/plain");
        assertThat(send("POST", "/press", "localhost:" + port, form, "{}")).startsWith("HTTP/1.1 415 ");
    }

    @Test
    void onlyThePagesFilesAreServed() throws IOException {
        for (String path : List.of("/application.properties", "/../application.properties", "/FlashSaleDemo.java")) {
            assertThat(send("GET", path, "localhost:" + port, "", "")).startsWith("HTTP/1.1 404 ");
        }
        assertThat(send("DELETE", "/", "localhost:" + port, "", "")).startsWith("HTTP/1.1 405 ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {                                       | 400 | The body must be a button
            {"action":"explode"}                    | 400 | action must be a button, but is explode
            {"action":"begin"}                      | 400 | sale must have the settings of the sale, but is missing
            {"action":"kill","shop":9}              | 400 | shop must be 0 to 3, but is 9
            {"action":"stop"}                       | 409 | No sale is running
            {"action":"begin","sale":{"buyers":0,"items":1,"workMillis":50,"kind":"LOCK","fifo":false,"locked":true}} \
            | 400 | buyers must be 1 to 1000, but is 0
            {"action":"begin","sale":{"buyers":1,"items":1,"workMillis":50,"kind":"LOCK","fifo":false,"locked":true}} \
            | 409 | No shop is open. Start one first
            """)
    void aBadPressGetsOneClearError(String body, int status, String error) throws IOException {
        assertThat(press(body)).startsWith("HTTP/1.1 " + status + " ").contains(error);
    }

    @Test
    void aLongBodyIsRefused() throws IOException {
        assertThat(press("{\"action\":\"" + "x".repeat(3_000) + "\"}")).startsWith("HTTP/1.1 413 ");
    }

    @Test
    void theCodeBehindTheButtonsIsShort() throws IOException {
        assertThat(send("GET", "/code", "127.0.0.1:" + port, "", "")).contains("lock.lock();");
        assertThat(CodeOfButtons.all())
                .hasSize(6)
                .allSatisfy((name, code) -> assertThat(code.lines()).hasSizeBetween(3, 12));
        assertThatThrownBy(() -> CodeOfButtons.region("SaleController.java", "no such"))
                .hasMessage("No region 'no such' in SaleController.java");
        assertThatThrownBy(() -> CodeOfButtons.region("NoSuch.java", "lock")).hasMessage("No source NoSuch.java");
    }

    @ParameterizedTest
    @CsvSource({
        "--port, --port must have a value",
        "--port x, '--port must be 0 to 65535, but is x'",
        "--shops 5, '--shops must be 1 to 4, but is 5'",
        "--what 1, There is no option --what"
    })
    void aBadOptionGetsOneClearError(String args, String error) {
        List<String> given = List.of(args.split(" "));
        assertThatThrownBy(() -> {
                    FlashSaleDemo.option(given, "--port", 1, 0, 65_535);
                    FlashSaleDemo.option(given, "--shops", 1, 1, 4);
                })
                .hasMessage(error);
        assertThat(FlashSaleDemo.option(List.of("--shops", "2", "--port", "9"), "--port", 1, 0, 65_535))
                .isEqualTo(9);
        assertThat(FlashSaleDemo.option(List.of(), "--shops", 3, 1, 4)).isEqualTo(3);
    }

    @Test
    void aTakenPortGetsOneClearError() {
        assertThatThrownBy(() -> new FlashSaleDemo(port))
                .hasMessage("The page cannot have port " + port + ": another program uses it. Choose one with --port");
    }

    @Test
    void percentilesAreThoseOfTheNearestRank() {
        assertThat(SaleFigures.percentiles(new long[0])).isNull();
        assertThat(SaleFigures.percentiles(new long[] {7})).containsExactly(7, 7, 7);
        long[] waits = new long[200];
        for (int i = 0; i < waits.length; i++) {
            waits[i] = 200 - i;
        }
        assertThat(SaleFigures.percentiles(waits)).containsExactly(100, 190, 198);
    }

    @Test
    void aShopsLineIsReadAsItWasWritten() {
        String line = ShopLine.text(ShopLine.Kind.TOOK, 17, "sale-1", 4, 123L);
        assertThat(ShopLine.read(line)).hasValue(new ShopLine(ShopLine.Kind.TOOK, 17, List.of("sale-1", "4", "123")));
        assertThat(ShopLine.read("2026-11-28 INFO Started FlashSaleApplication"))
                .isEmpty();
    }
}
