package io.boltwork.examples.web;

import io.boltwork.testkit.Await;
import io.boltwork.testkit.Slack;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A headless Chromium with one page, driven by its own DevTools protocol. */
final class Chromium implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("DevTools listening on ws://127\\.0\\.0\\.1:(\\d+)/");
    private static final Pattern PAGE =
            Pattern.compile("\"type\": \"page\".*?\"webSocketDebuggerUrl\": \"([^\"]+)\"", Pattern.DOTALL);
    private static final Pattern DATA = Pattern.compile("\"data\":\"([^\"]+)\"");

    private final HttpClient http = HttpClient.newHttpClient();
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final Process process;
    private final WebSocket page;

    /** The installed one, if any. */
    static Optional<String> installed() {
        return Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
                .filter(path -> Files.isExecutable(Path.of(path)))
                .findFirst();
    }

    Chromium(String binary, Path directory, String url) throws IOException {
        Path log = directory.resolve("log");
        process = new ProcessBuilder(
                        binary,
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + directory.resolve("profile"),
                        "--window-size=900,640",
                        url)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            String list = "http://127.0.0.1:" + found(log) + "/json/list";
            Await.within(Duration.ofSeconds(30), "a page", () -> page(list) != null);
            page = http.newWebSocketBuilder()
                    .buildAsync(URI.create(String.valueOf(page(list))), new Answers())
                    .join();
        } catch (RuntimeException | AssertionError e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private static String found(Path log) {
        Await.within(
                Duration.ofSeconds(30),
                "DevTools",
                () -> PORT.matcher(text(log)).find());
        Matcher port = PORT.matcher(text(log));
        return port.find() ? port.group(1) : "";
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return "";
        }
    }

    private @Nullable String page(String list) {
        try {
            String all = http.send(
                            HttpRequest.newBuilder(URI.create(list)).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
            Matcher page = PAGE.matcher(all);
            return page.find() ? page.group(1) : null;
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** What a script says, as JSON. */
    String evaluate(String script) {
        return call(
                "Runtime.evaluate", "{\"returnByValue\":true,\"expression\":\"" + script.replace("\"", "\\\"") + "\"}");
    }

    /** The page as PNG. */
    byte[] screenshot() {
        Matcher data = DATA.matcher(call("Page.captureScreenshot", "{}"));
        if (!data.find()) {
            throw new AssertionError("no picture");
        }
        return Base64.getDecoder().decode(data.group(1));
    }

    private String call(String method, String parameters) {
        page.sendText("{\"id\":1,\"method\":\"" + method + "\",\"params\":" + parameters + "}", true)
                .join();
        try {
            String answer = answers.poll(Slack.of(Duration.ofSeconds(20)).toMillis(), TimeUnit.MILLISECONDS);
            if (answer == null) {
                throw new AssertionError("no answer to " + method);
            }
            return answer;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private final class Answers implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                answers.add(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }
    }

    @Override
    public void close() {
        page.abort();
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(each -> each.onExit().join());
    }
}
