// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.lettuce.core.RedisCredentials;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * A provider of credentials that gives a new user each time, as HashiCorp's Vault does. A server ends the connections
 * of a user that is deleted, so one that has not logged in anew is noticed.
 */
final class Vault {
    private final List<RedisServer> servers;
    private final AtomicInteger number = new AtomicInteger();
    final AtomicInteger asked = new AtomicInteger();

    /** The time for which credentials are said to serve; {@code null} if they say nothing. */
    private final Duration life;

    Vault(List<RedisServer> servers, Duration life) {
        this.servers = servers;
        this.life = life;
        next();
    }

    CompletableFuture<RedisCredentials> get() {
        asked.incrementAndGet();
        return CompletableFuture.completedFuture(
                life == null
                        ? RedisCredentials.just(user(), password())
                        : ExpiringCredentials.of(
                                user(), password(), Instant.now().plus(life)));
    }

    String user() {
        return "locks-" + number;
    }

    String password() {
        return "s3cr3t-" + number;
    }

    /** Creates the next user, which is given from now on. Returns the one before. */
    String next() {
        String before = user();
        int next = number.get() + 1;
        for (RedisServer server : servers) {
            server.command("ACL", "SETUSER", "locks-" + next, "reset", "on", ">s3cr3t-" + next, "~*", "&*", "+@all");
        }
        number.set(next);
        return before;
    }

    /** Deletes a user, which ends its connections. */
    void delete(String user) {
        servers.forEach(server -> server.command("ACL", "DELUSER", user));
    }

    /** Waits until no connection uses a user any more. */
    void awaitUnused(String user) {
        Await.until("no connection is that of " + user, () -> connections(user).isEmpty());
    }

    /** Returns the connections of a user: their servers and ids. */
    Set<String> connections(String user) {
        return servers.stream()
                .flatMap(server -> String.valueOf(server.command("CLIENT", "LIST"))
                        .lines()
                        .filter(line -> List.of(line.split(" ")).contains("user=" + user))
                        .map(line -> server.port() + " " + line.substring(0, line.indexOf(' '))))
                .collect(Collectors.toSet());
    }
}
