// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.wait.Await;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.ToolRun;
import io.boltwork.tools.connect.PemFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each rule that keeps others away from the console, by requests that are written byte by byte. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ConsoleAccessTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private final MemoryServer store = MemoryServer.create();
    private final StringWriter log = new StringWriter();
    private LockClient client;
    private ConsoleServer console;

    @BeforeEach
    void start() throws IOException {
        client = LockClient.create(
                MemoryBackend.on(store), ClientOptions.defaults().withApplication("shop"));
        start(false, false, null);
    }

    private void start(boolean allowForce, boolean behindProxy, @Nullable SSLContext tls) throws IOException {
        if (console != null) {
            console.close();
        }
        List<String> hosts = behindProxy ? List.of("locks.example.com") : List.of();
        ConsoleSettings settings = new ConsoleSettings(
                new InetSocketAddress(LOOPBACK, 0), HostList.of(LOOPBACK, hosts), tls, behindProxy, allowForce);
        console = ConsoleServer.start(client, settings, new PrintWriter(log, true));
    }

    @AfterEach
    void stop() {
        console.close();
        client.close();
    }

    private record Response(int status, Map<String, String> headers, String body) {
        String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }
    }

    private int port() {
        return console.port();
    }

    private String host() {
        return "127.0.0.1:" + port();
    }

    private String token() {
        return console.url().getRawQuery();
    }

    private Response send(String method, String target, String host, List<String> headers, String body)
            throws IOException {
        try (Socket socket = new Socket(LOOPBACK, port())) {
            return send(socket, method, target, host, headers, body);
        }
    }

    private static Response send(
            Socket socket, String method, String target, String host, List<String> headers, String body)
            throws IOException {
        List<String> lines = new ArrayList<>(List.of(method + " " + target + " HTTP/1.1", "Connection: close"));
        if (!host.isEmpty()) {
            lines.add("Host: " + host);
        }
        lines.addAll(headers);
        if (!body.isEmpty()) {
            lines.add("Content-Length: " + body.length());
        }
        Writer out = new java.io.OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8);
        out.write(lines.stream().map(line -> line + "\r\n").collect(Collectors.joining()) + "\r\n" + body);
        out.flush();
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        int status = Integer.parseInt(in.readLine().split(" ")[1]);
        Map<String, String> answered = new LinkedHashMap<>();
        for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
            int colon = line.indexOf(':');
            answered.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        boolean isStream = answered.getOrDefault("content-type", "").startsWith("text/event-stream");
        return new Response(status, answered, isStream ? "" : in.lines().collect(Collectors.joining("\n")));
    }

    private Response get(String target, String... headers) throws IOException {
        return send("GET", target, host(), List.of(headers), "");
    }

    /** Returns the header that the browser of the user sends. */
    private String cookie() throws IOException {
        Response login = get("/?" + token());
        assertThat(login.status()).isEqualTo(303);
        return "Cookie: " + login.header("Set-Cookie").split(";")[0];
    }

    private Response release(String body, String... headers) throws IOException {
        List<String> all = new ArrayList<>(List.of(headers));
        all.add(cookie());
        return send("POST", "/api/release", host(), all, body);
    }

    private String origin() {
        return "Origin: http://" + host();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/app.js",
                "/console.css",
                "/api/live?view=locks",
                "/api/session",
                "/nowhere",
                "/api/release"
            })
    void nothingIsAnsweredWithoutTheToken(String target) throws IOException {
        Response response = get(target);
        assertThat(response.status()).isEqualTo(401);
        assertThat(response.body()).contains("Open the URL that 'boltwork console' has printed");
        assertThat(response.header("Set-Cookie")).isEmpty();
    }

    @Test
    void aWrongTokenOrCookieIsRefused() throws IOException {
        assertThat(get("/?token=guessed").status()).isEqualTo(401);
        assertThat(get("/?token=").status()).isEqualTo(401);
        assertThat(get("/?" + token() + "x").status()).isEqualTo(401);
        assertThat(get("/", "Cookie: boltwork-console-" + port() + "=guessed").status())
                .isEqualTo(401);
        assertThat(get("/", "Cookie: boltwork-console-" + port() + "=" + token().substring("token=".length()))
                        .status())
                .as("the cookie is not the token")
                .isEqualTo(401);
        assertThat(get("/", cookie().replace("console-" + port(), "console-1")).status())
                .isEqualTo(401);
    }

    @Test
    void theTokenIsExchangedForACookie() throws IOException {
        Response login = get("/?" + token());
        assertThat(login.header("Location")).isEqualTo("./");
        assertThat(login.header("Set-Cookie"))
                .contains("HttpOnly", "SameSite=Lax", "Path=/")
                .doesNotContain("Secure")
                .doesNotContain(token().substring("token=".length()));
        assertThat(token()).matches("token=[A-Za-z0-9_-]{43}");
        Response page = get("/", cookie());
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("Content-Type")).startsWith("text/html");
        assertThat(page.body()).contains("<title>Boltwork console</title>");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil", "[::2]", "", "a b"
            })
    void aForeignHostIsRefused(String host) throws IOException {
        Response response = send("GET", "/?" + token(), host, List.of(cookie()), "");
        assertThat(response.status()).isIn(host.isEmpty() ? 400 : 403, 403);
        assertThat(response.header("Set-Cookie")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST:9000", "127.0.0.1", "[::1]:7420"})
    void eachNameOfThisMachineIsAccepted(String host) throws IOException {
        assertThat(send("GET", "/", host, List.of(cookie()), "").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"https://evil.example", "null", "http://localhost:1", "https://127.0.0.1", "http://127.0.0.1"})
    void aForeignOriginIsRefused(String origin) throws IOException {
        assertThat(get("/api/session", cookie(), "Origin: " + origin).status()).isEqualTo(403);
        assertThat(release("{}", "Origin: " + origin).status()).isEqualTo(403);
        assertThat(get("/api/session", cookie(), origin()).status()).isEqualTo(204);
    }

    @ParameterizedTest
    @CsvSource({
        "/, navigate, document, true",
        "/?token=, navigate, document, true",
        "/, navigate, iframe, false",
        "/, no-cors, empty, false",
        "/app.js, no-cors, script, false",
        "/app.js, navigate, document, false",
        "/api/live?view=locks, navigate, document, false",
        "/api/session, cors, empty, false",
    })
    void onlyALinkToThePageWorksFromElsewhere(String target, String mode, String destination, boolean works)
            throws IOException {
        String to = target.replace("token=", token());
        for (String site : List.of("cross-site", "same-site", "something-new")) {
            Response response = get(
                    to,
                    cookie(),
                    "Sec-Fetch-Site: " + site,
                    "Sec-Fetch-Mode: " + mode,
                    "Sec-Fetch-Dest: " + destination);
            assertThat(response.status()).as(site).isEqualTo(works ? to.equals("/") ? 200 : 303 : 403);
        }
        assertThat(get("/api/session", cookie(), "Sec-Fetch-Site: same-origin").status())
                .isEqualTo(204);
        assertThat(get("/", cookie(), "Sec-Fetch-Site: none").status()).isEqualTo(200);
        assertThat(get("/", cookie(), "Sec-Fetch-Site: none", "Sec-Fetch-Site: none")
                        .status())
                .isEqualTo(403);
    }

    @Test
    void aChangeByAPageOfElsewhereIsRefused() throws IOException {
        start(true, false, null);
        Lease lease = client.lock("stock:1").acquire();
        String body = body("stock:1", "stock:1", lease.fencingToken());
        String json = "Content-Type: application/json";
        assertThat(release(body, json, origin(), "Sec-Fetch-Site: same-site").status())
                .isEqualTo(403);
        assertThat(release(body, json, "Sec-Fetch-Site: same-origin").status()).isEqualTo(403);
        assertThat(release(body, json, "Origin: null").status()).isEqualTo(403);
        assertThat(lease.verify()).isTrue();
        lease.close();
    }

    @Test
    void aChangeNeedsAnOrigin() throws IOException {
        start(true, false, null);
        assertThat(release("{}").status()).isEqualTo(403);
    }

    @Test
    void eachAnswerHasTheHeadersThatGuardIt() throws IOException {
        for (Response response : List.of(get("/", cookie()), get("/"), get("/app.js", cookie()), get("/x", cookie()))) {
            assertThat(response.header("Content-Security-Policy"))
                    .contains("default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'")
                    .doesNotContain("unsafe", "http:", "https:", "*");
            assertThat(response.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(response.header("Referrer-Policy")).isEqualTo("no-referrer");
            assertThat(response.header("Cache-Control")).isEqualTo("no-store");
            assertThat(response.header("Access-Control-Allow-Origin")).isEmpty();
        }
    }

    @Test
    void otherMethodsAreRefused() throws IOException {
        String cookie = cookie();
        for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "TRACE")) {
            Response response = send(method, "/", host(), List.of(cookie, origin()), "");
            assertThat(response.status()).as(method).isEqualTo(405);
            assertThat(response.header("Allow")).isEqualTo("GET, HEAD");
        }
        assertThat(send("HEAD", "/", host(), List.of(cookie), "").body()).isEmpty();
        assertThat(get("/api/release", cookie).status()).isEqualTo(405);
        assertThat(send("POST", "/api/live?view=locks", host(), List.of(cookie, origin()), "")
                        .status())
                .isEqualTo(405);
        assertThat(send("POST", "/api/session", host(), List.of(cookie, origin()), "")
                        .status())
                .isEqualTo(405);
    }

    @Test
    void onlyTheFilesOfThePageAreServed() throws IOException {
        String cookie = cookie();
        for (String path :
                List.of("/ConsoleServer.class", "/../BoltworkCommand.class", "/%2e%2e/x", "/api", "/api/livex")) {
            assertThat(get(path, cookie).status()).as(path).isEqualTo(404);
        }
        for (String view : List.of(
                "",
                "view=x",
                "view=lock",
                "view=lock&kind=x&name=y",
                "view=lock&kind=lock",
                "view=locks&page=0",
                "view=locks&page=201",
                "view=locks&page=x")) {
            assertThat(get("/api/live?" + view, cookie).status()).as(view).isEqualTo(400);
        }
        assertThat(get("/api/live?view=lock&kind=lock&name=" + "x".repeat(2_000), cookie)
                        .status())
                .isEqualTo(400);
    }

    private static String body(String name, String confirm, long token) {
        return "{\"kind\": \"LOCK\", \"name\": \"" + name + "\", \"confirm\": \"" + confirm + "\", \"token\": \""
                + token + "\"}";
    }

    @Test
    void itIsReadOnlyUnlessForceIsAllowed() throws IOException {
        Lease lease = client.lock("stock:1").acquire();
        Response response =
                release(body("stock:1", "stock:1", lease.fencingToken()), origin(), "Content-Type: application/json");
        assertThat(response.status()).isEqualTo(403);
        assertThat(response.body()).contains("--allow-force");
        assertThat(lease.verify()).isTrue();
        lease.close();
        assertThat(log.toString()).isEmpty();
    }

    @Test
    void aReleaseNeedsTheNameAndTheToken() throws IOException {
        start(true, false, null);
        String json = "Content-Type: application/json";
        Lease lease = client.lock("stock:1").acquire();
        long token = lease.fencingToken();
        assertThat(release(body("stock:1", "stock:1", token), origin()).status())
                .isEqualTo(415);
        assertThat(release(body("stock:1", "stock:2", token), origin(), json).body())
                .contains("confirm must be the name of the lock");
        assertThat(release("[]", origin(), json).status()).isEqualTo(400);
        assertThat(release("{\"token\": 1}", origin(), json).status()).isEqualTo(400);
        assertThat(release("{\"kind\": ", origin(), json).status()).isEqualTo(400);
        assertThat(release("{\"kind\": \"" + "x".repeat(20_000) + "\"}", origin(), json)
                        .status())
                .isEqualTo(413);
        assertThat(release(body("stock:1", "stock:1", 17), origin(), json).body())
                .isEqualTo("{\"released\":false}");
        assertThat(lease.verify()).isTrue();
        assertThat(release(body("stock:1", "stock:1", token), origin(), json).body())
                .isEqualTo("{\"released\":true}");
        Await.until("the loss", () -> !lease.isValid());
        assertThat(log.toString()).contains("took LOCK 'stock:1' away", Long.toString(token));
    }

    @Test
    void behindAProxyItExpectsHttpsAndTheGivenHost() throws IOException {
        start(false, true, null);
        assertThat(console.url().toString()).startsWith("https://locks.example.com/?token=");
        Response login = send("GET", "/?" + token(), "locks.example.com", List.of(), "");
        assertThat(login.header("Set-Cookie")).startsWith("__Host-").contains("Secure");
        List<String> headers =
                List.of("Cookie: " + login.header("Set-Cookie").split(";")[0], "Origin: https://locks.example.com");
        assertThat(send("GET", "/api/session", "locks.example.com", headers, "").status())
                .isEqualTo(204);
        assertThat(send("GET", "/api/session", "other.example.com", headers, "").status())
                .isEqualTo(403);
    }

    @Test
    void itSpeaksTlsWithACertificateAndKey() throws Exception {
        try (Certificates certificates = Certificates.make()) {
            start(false, false, PemFiles.context(certificates.server(), certificates.serverKey()));
            assertThat(console.url().toString()).startsWith("https://127.0.0.1:");
            SSLSocketFactory trusting = trustingAll();
            try (SSLSocket socket = (SSLSocket) trusting.createSocket(LOOPBACK, port())) {
                Response login = send(socket, "GET", "/?" + token(), host(), List.of(), "");
                assertThat(login.header("Set-Cookie")).startsWith("__Host-").contains("Secure");
            }
            org.assertj.core.api.Assertions.assertThatIllegalArgumentException()
                    .isThrownBy(() -> PemFiles.context(certificates.server(), certificates.clientKey()))
                    .withMessageContaining("--https-key must be the key of the first certificate");
            org.assertj.core.api.Assertions.assertThatIllegalArgumentException()
                    .isThrownBy(() -> PemFiles.context(certificates.serverKey(), certificates.serverKey()))
                    .withMessageContaining("--https-cert must be a file of PEM certificates");
        }
    }

    private static SSLSocketFactory trustingAll() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                null,
                new TrustManager[] {
                    new X509TrustManager() {
                        @Override
                        public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String type) {}

                        @Override
                        public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String type) {}

                        @Override
                        public java.security.cert.X509Certificate[] getAcceptedIssuers() {
                            return new java.security.cert.X509Certificate[0];
                        }
                    }
                },
                null);
        return context.getSocketFactory();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--listen 0.0.0.0 | --listen 0.0.0.0 is not a loopback address",
                "--listen 192.0.2.1 | add --https-cert and --https-key, or --behind-proxy",
                "--https-cert a.pem | --https-cert and --https-key must be given together",
                "--behind-proxy | --behind-proxy requires --allowed-host",
                "--behind-proxy --allowed-host http://a/ | --allowed-host must be the name of a host",
                "--https-cert nowhere.pem --https-key b.pem | --https-cert must be a file that can be read",
                "--port 70000 | --port must be from 0 to 65535",
                "--listen no.such.host.invalid | --listen must be an address of this machine",
            })
    void unsafeOptionsAreRefusedWithOneLine(String options, String message) {
        ToolRun run = ToolRun.of(("console --uri redis://localhost:1 " + options).split(" "));
        assertThat(run.err()).startsWith("boltwork: ").contains(message);
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    }
}
