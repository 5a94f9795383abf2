// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.peer;

import com.fasterxml.jackson.databind.JsonNode;
import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.Setting;
import io.boltwork.bench.measure.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * etcd's own lock, through its gateway and the JDK's {@link HttpClient}, as Boltwork. A lock lasts as long as its
 * lease. A second request for a lock with the same lease is granted at once, so each thread has a lease of its own.
 */
public final class EtcdLocks implements Contender {
    /** Each lease is kept alive so often within its time. */
    private static final int KEEP_ALIVES = 3;

    private static final Duration FOREVER = Duration.ofHours(1);
    private static final int HTTP_OK = 200;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String uri;
    private final long seconds;
    private final Set<String> leases = ConcurrentHashMap.newKeySet();
    private final ThreadLocal<String> mine = ThreadLocal.withInitial(this::grant);
    private final ScheduledExecutorService keeper = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "etcd-leases");
        thread.setDaemon(true);
        return thread;
    });

    public EtcdLocks(Setting setting) {
        uri = setting.uri();
        seconds = setting.lease().toSeconds();
        long millis = setting.lease().toMillis() / KEEP_ALIVES;
        keeper.scheduleWithFixedDelay(
                () -> leases.forEach(lease -> post("lease/keepalive", Map.of("ID", lease))),
                millis,
                millis,
                TimeUnit.MILLISECONDS);
    }

    private String grant() {
        String lease = post("lease/grant", Map.of("TTL", seconds)).path("ID").asText();
        leases.add(lease);
        return lease;
    }

    @Override
    public BenchLock lock(String name) {
        String encoded = Base64.getEncoder().encodeToString(name.getBytes(StandardCharsets.UTF_8));
        return new BenchLock() {
            /* Written and read by the holder only. */
            private String held = "";

            @Override
            public void lock() {
                held = acquire(encoded, FOREVER);
            }

            @Override
            public boolean tryLock(Duration wait) {
                String got = acquire(encoded, wait);
                if (got.isEmpty()) {
                    return false;
                }
                held = got;
                return true;
            }

            @Override
            public void unlock() {
                post("lock/unlock", Map.of("key", held));
            }
        };
    }

    /** Returns the key of the lock; empty if it was not acquired in time. */
    private String acquire(String name, Duration wait) {
        String lease = mine.get();
        try {
            return send("lock/lock", Map.of("name", name, "lease", lease), wait)
                    .path("key")
                    .asText();
        } catch (HttpTimeoutException late) {
            mine.remove(); // with the lease goes its place in the queue
            leases.remove(lease);
            post("lease/revoke", Map.of("ID", lease));
            return "";
        } catch (IOException failed) {
            throw new IllegalStateException("The lock was not acquired", failed);
        }
    }

    private JsonNode post(String path, Map<String, ?> request) {
        try {
            return send(path, request, FOREVER);
        } catch (IOException failed) {
            throw new IllegalStateException("etcd has not answered to " + path, failed);
        }
    }

    private JsonNode send(String path, Map<String, ?> request, Duration patience) throws IOException {
        HttpRequest sent = HttpRequest.newBuilder(URI.create(uri + "/v3/" + path))
                .timeout(patience)
                .POST(HttpRequest.BodyPublishers.ofString(Json.line(request)))
                .build();
        try {
            HttpResponse<String> response = http.send(sent, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != HTTP_OK) {
                throw new IOException(response.body());
            }
            return Json.parse(response.body(), JsonNode.class);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        }
    }

    @Override
    public void close() {
        keeper.shutdownNow();
        leases.forEach(lease -> post("lease/revoke", Map.of("ID", lease)));
    }
}
