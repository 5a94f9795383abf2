// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.spi.Printable;
import io.boltwork.store.RecordBackend;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A backend that keeps locks on etcd 3.4 or later, through the JSON gateway that every member offers. A lock is one key
 * with its owner, lease and queue, which clients change by transactions that compare its revision.
 *
 * <p>A free lock is acquired with a read and a write, or with a write alone if this client was the last to use it;
 * releasing it is one write. A waiting client is granted the lock by the transaction that releases it.
 *
 * <p>Leases decide, and they are not leases of etcd: they are in the lock's record. Their time is counted by the
 * cluster's leader, and clients know it up to the {@linkplain EtcdOptions#clockTolerance clock tolerance}. After an
 * election, leases that were running begin again by the new leader's count.
 *
 * <p>A client that was killed is noticed when its {@linkplain EtcdOptions#sessionTimeout session} times out. Until then
 * it may be granted locks that it waited for, each for 3 s at most.
 *
 * @since 0.1.0
 */
public final class EtcdBackend extends RecordBackend {
    private static final int DEFAULT_PORT = 2379;

    private EtcdBackend(List<URI> endpoints, HttpClient http, EtcdOptions options) {
        super(new EtcdStore(endpoints, http, options));
    }

    /**
     * Creates a backend with the default options. No round trip; it connects when the client is created.
     *
     * @param endpoints the members, such as {@code http://h1:2379,http://h2:2379}
     * @return a backend for one client
     * @throws IllegalArgumentException if the text is not a list of members
     */
    public static EtcdBackend connect(String endpoints) {
        return connect(endpoints, EtcdOptions.defaults());
    }

    /**
     * Creates a backend with an HTTP client of its own. No round trip; it connects when the client is created.
     *
     * @param endpoints the members, such as {@code http://h1:2379,http://h2:2379}. One is asked at a time; another one
     *     is after a failure
     * @param options the options
     * @return a backend for one client
     * @throws IllegalArgumentException if the text is not a list of members
     * @throws io.boltwork.BackendException if the options name files for TLS that cannot be used
     */
    public static EtcdBackend connect(String endpoints, EtcdOptions options) {
        Objects.requireNonNull(options, "options");
        List<URI> members = members(endpoints);
        HttpClient.Builder http = HttpClient.newBuilder()
                .connectTimeout(options.commandTimeout().dividedBy(2))
                .executor(Runnable::run); // what is left to do for an answer is less than a change of the thread
        if (options.tls().isUsed()) {
            http.sslContext(options.tls().context());
        }
        return new EtcdBackend(members, http.build(), options);
    }

    /**
     * Creates a backend on an HTTP client of the user's, with the user's TLS, proxy and executor. Certificates in the
     * options are not used.
     *
     * @param http the client
     * @param endpoints the members, such as {@code https://h1:2379,https://h2:2379}
     * @param options the options
     * @return a backend for one client
     * @throws IllegalArgumentException if the text is not a list of members
     */
    public static EtcdBackend on(HttpClient http, String endpoints, EtcdOptions options) {
        Objects.requireNonNull(http, "http");
        Objects.requireNonNull(options, "options");
        return new EtcdBackend(members(endpoints), http, options);
    }

    private static List<URI> members(String endpoints) {
        Objects.requireNonNull(endpoints, "endpoints");
        List<URI> members = new ArrayList<>();
        for (String endpoint : endpoints.split(",", -1)) {
            members.add(member(endpoints, endpoint.strip()));
        }
        return List.copyOf(members);
    }

    private static URI member(String endpoints, String endpoint) {
        String problem;
        try {
            URI uri = URI.create(endpoint);
            boolean hasScheme = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (hasScheme && uri.getHost() != null && uri.getUserInfo() == null && isOnlyHost(uri)) {
                int port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
                String host = uri.getHost();
                return URI.create(uri.getScheme() + "://" + host + ":" + port);
            }
            problem = !hasScheme
                    ? "each begins with http:// or https://"
                    : uri.getUserInfo() != null
                            ? "set the user and the password with EtcdOptions.withCredentials"
                            : "each has a host and a port, and nothing after them";
        } catch (IllegalArgumentException invalid) {
            problem = "each has the form http://host:port";
        }
        boolean mayHaveSecret = endpoints.indexOf('@') >= 0;
        throw new IllegalArgumentException("endpoints must be a list of members such as 'http://h1:2379,http://h2:2379'"
                + (mayHaveSecret ? "" : ", but is '" + Printable.text(endpoints) + "'") + ": " + problem);
    }

    private static boolean isOnlyHost(URI uri) {
        boolean hasPath = uri.getRawPath() != null
                && !uri.getRawPath().isEmpty()
                && !uri.getRawPath().equals("/");
        return !hasPath && uri.getRawQuery() == null && uri.getRawFragment() == null;
    }
}
