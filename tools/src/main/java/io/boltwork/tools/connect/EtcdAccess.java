// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.boltwork.BackendException;
import io.boltwork.etcd.EtcdBackend;
import io.boltwork.etcd.EtcdOptions;
import io.boltwork.spi.LockBackend;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the gateway of etcd, with the credentials of the user. For commands that look at the cluster instead of
 * at locks. Not thread-safe.
 */
public final class EtcdAccess {
    private static final int DEFAULT_PORT = 2379;
    private static final int HTTP_OK = 200;
    /** The codes of gRPC of errors that trying again does not heal: an argument, a right, the gateway, the user. */
    private static final Set<String> LASTING = Set.of("3", "7", "12", "16");
    /** The code of gRPC of a cluster whose authentication is switched off. */
    private static final String NOT_ENABLED = "9";

    private final List<String> members;
    private final HttpClient http;
    private final EtcdOptions options;
    private final @Nullable String credentials;
    private @Nullable String token;

    private EtcdAccess(List<String> members, HttpClient http, EtcdOptions options, @Nullable String credentials) {
        this.members = members;
        this.http = http;
        this.options = options;
        this.credentials = credentials;
    }

    /**
     * Returns access to the store, which is an etcd. No round trip.
     *
     * @throws IllegalArgumentException if an option is wrong
     */
    public static EtcdAccess of(StoreOptions store) {
        String uri = store.uri().strip();
        boolean usesTls = uri.toLowerCase(Locale.ROOT).startsWith("etcds:");
        String rest = uri.substring(uri.indexOf(':') + 1).replaceFirst("^//", "");
        int at = rest.lastIndexOf('@');
        List<String> members = Stream.of(rest.substring(at + 1).split(",", -1))
                .map(host -> member((usesTls ? "https://" : "http://") + host.strip()))
                .toList();
        EtcdOptions options = EtcdOptions.defaults().withConnectTimeout(store.connectTimeout());
        options = store.prefix == null ? options : options.withPrefix(store.prefix);
        options = store.timeout == null ? options : options.withCommandTimeout(store.timeout);
        HttpClient.Builder http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(options.commandTimeout().dividedBy(2));
        store.checkCertificate();
        if (store.authorities != null || store.certificate != null) {
            if (!usesTls) {
                throw new IllegalArgumentException("--tls-ca and --tls-cert require etcds:// in place of etcd://");
            }
            http.sslContext(PemFiles.clientContext(store.authorities, store.certificate, store.key));
        }
        String[] given = at < 0 ? new String[0] : rest.substring(0, at).split(":", 2);
        String user = store.user != null ? store.user : given.length > 0 ? decoded(given[0]) : "";
        String outside = store.password();
        String password = outside != null ? outside : given.length > 1 ? decoded(given[1]) : "";
        if (user.isEmpty() && password.isEmpty()) {
            return new EtcdAccess(members, http.build(), options, null);
        }
        if (user.isEmpty() || password.isEmpty()) {
            throw new IllegalArgumentException(
                    "etcd requires a user and a password: --user, and --password-file or " + StoreOptions.PASSWORD);
        }
        return new EtcdAccess(
                members,
                http.build(),
                options.withCredentials(user, password),
                "{\"name\":\"" + quoted(user) + "\",\"password\":\"" + quoted(password) + "\"}");
    }

    private static String member(String address) {
        try {
            URI uri = new URI(address);
            boolean endsThere = Stream.of(uri.getRawPath(), uri.getRawQuery(), uri.getRawFragment())
                    .allMatch(part -> part == null || part.isEmpty() || part.equals("/"));
            if (uri.getHost() != null && endsThere) {
                int port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
                return uri.getScheme() + "://" + uri.getHost() + ":" + port;
            }
        } catch (URISyntaxException malformed) {
            // refused below, without its text, which may have a password
        }
        throw new IllegalArgumentException(
                "the URI of etcd must have the form etcd://h1:2379,h2:2379; the prefix of keys is --prefix");
    }

    private static String decoded(String part) {
        try {
            return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException secret) { // its message has a part of the text
            throw new IllegalArgumentException(
                    "the user and the password in the URI must have %25 for each '%', and hex digits after it");
        }
    }

    private static String quoted(String text) {
        return new String(JsonStringEncoder.getInstance().quoteAsString(text));
    }

    /** Returns a text as the gateway reads keys. */
    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    LockBackend backend() {
        return EtcdBackend.on(http, String.join(",", members), options);
    }

    /** Returns the members of the URI, such as {@code http://h1:2379}. */
    public List<String> members() {
        return members;
    }

    /** Returns the members of the URI in one text, without credentials. */
    public String address() {
        return "etcd://" + members.stream().map(EtcdAccess::host).collect(Collectors.joining(","));
    }

    private static String host(String member) {
        return member.substring(member.indexOf("://") + 3);
    }

    /**
     * Checks that Boltwork has used the cluster.
     *
     * @throws BackendException if the cluster does not answer, or has no keys of Boltwork
     */
    void requireStore() {
        if (!note().containsKey("kvs")) {
            throw new BackendException(
                    address() + ": no store of Boltwork here: there are no keys of Boltwork with the prefix '"
                            + options.prefix() + "'. Check the address and --prefix",
                    false,
                    null);
        }
    }

    /** Reads the note about the clock, which each client makes. Takes one round trip. */
    public Map<String, Object> note() {
        return ask("kv/range", "{\"key\":\"" + base64(options.prefix() + "/clock") + "\"}");
    }

    /** Deletes all keys with the prefix, and the lease of the clock, which would last for years. */
    public void deleteStore() {
        Map<String, Object> note = note();
        ask(
                "kv/deleterange",
                "{\"key\":\"" + base64(options.prefix() + "/") + "\",\"range_end\":\"" + base64(options.prefix() + "0")
                        + "\"}"); // the character after the slash
        for (Map<String, Object> key : objects(note, "kvs")) {
            String value = new String(Base64.getDecoder().decode(text(key, "value")), StandardCharsets.UTF_8);
            ask("lease/revoke", "{\"ID\":\"" + value.split(" ", 2)[0] + "\"}");
        }
    }

    /**
     * Asks the first member that answers.
     *
     * @param path the path below {@code /v3/}
     * @param request an object of JSON
     * @throws BackendException if no member answers, or one refuses
     */
    public Map<String, Object> ask(String path, String request) {
        for (int i = 0; ; i++) {
            try {
                return ask(members.get(i), path, request);
            } catch (BackendException failed) {
                if (!failed.isRetryable() || i == members.size() - 1) {
                    throw failed;
                }
            }
        }
    }

    /**
     * Asks a member.
     *
     * @throws BackendException if it does not answer, which is retryable, or refuses
     */
    public Map<String, Object> ask(String member, String path, String request) {
        if (credentials != null && token == null) {
            Map<String, Object> answer = post(member, "auth/authenticate", credentials);
            if (answer.containsKey("error") && !text(answer, "code").equals(NOT_ENABLED)) {
                throw refused(member, answer);
            }
            token = text(answer, "token");
        }
        Map<String, Object> answer = post(member, path, request);
        if (answer.containsKey("error")) {
            throw refused(member, answer);
        }
        return answer;
    }

    private Map<String, Object> post(String member, String path, String request) {
        HttpResponse<String> response = send(
                member,
                HttpRequest.newBuilder(URI.create(member + "/v3/" + path))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(request)));
        try (JsonParser parser = new JsonFactory().createParser(response.body())) {
            parser.nextToken();
            if (value(parser) instanceof Map<?, ?> object) {
                return copy(object);
            }
        } catch (IOException notJson) {
            // refused below
        }
        throw new BackendException(
                "etcd at " + member + " failed: the gateway for JSON is missing, it has answered with the status "
                        + response.statusCode(),
                false,
                null);
    }

    /** Reads what a member shows to those who monitor it; empty if it shows nothing on this port. */
    public String metrics(String member) {
        HttpResponse<String> response = send(
                member, HttpRequest.newBuilder(URI.create(member + "/metrics")).GET());
        return response.statusCode() == HTTP_OK ? response.body() : "";
    }

    private HttpResponse<String> send(String member, HttpRequest.Builder request) {
        if (token != null && !token.isEmpty()) {
            request.header("Authorization", token);
        }
        try {
            return http.send(request.timeout(options.commandTimeout()).build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BackendException("The wait for etcd at " + member + " was interrupted", true, interrupted);
        } catch (IOException failed) {
            String known = failed instanceof HttpTimeoutException
                    ? "no answer within " + options.commandTimeout().toMillis() + " ms"
                    : failed instanceof ConnectException
                            ? "the connection was refused, or there is no such host"
                            : failed.getClass().getSimpleName();
            String reason =
                    failed.getMessage() == null || failed instanceof HttpTimeoutException ? known : failed.getMessage();
            throw new BackendException("etcd at " + member + " cannot be reached: " + reason, true, failed);
        }
    }

    private static BackendException refused(String member, Map<String, Object> answer) {
        String error = text(answer, "error");
        String remedy = error.contains("user name is empty") ? ". Give a user and a password" : "";
        return new BackendException(
                "etcd at " + member + " failed: " + error + remedy, !LASTING.contains(text(answer, "code")), null);
    }

    // ================================================================ JSON

    private static @Nullable Object value(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            Map<String, Object> object = new HashMap<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                Object value = value(parser);
                if (value != null) {
                    object.put(name, value);
                }
            }
            return object;
        }
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            List<@Nullable Object> list = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                list.add(value(parser));
            }
            return list;
        }
        return parser.currentToken() == JsonToken.VALUE_NULL ? null : parser.getText();
    }

    private static Map<String, Object> copy(Map<?, ?> object) {
        Map<String, Object> copy = new HashMap<>();
        object.forEach((name, value) -> copy.put(String.valueOf(name), value));
        return copy;
    }

    /** Returns the objects of a list; none if it is absent. */
    public static List<Map<String, Object>> objects(Map<String, Object> answer, String name) {
        List<Map<String, Object>> found = new ArrayList<>();
        if (answer.get(name) instanceof List<?> list) {
            for (Object each : list) {
                if (each instanceof Map<?, ?> object) {
                    found.add(copy(object));
                }
            }
        }
        return found;
    }

    /** Returns a text or a number; empty if it is absent. */
    public static String text(Map<String, Object> answer, String name) {
        Object value = answer.get(name);
        return value == null ? "" : String.valueOf(value);
    }
}
