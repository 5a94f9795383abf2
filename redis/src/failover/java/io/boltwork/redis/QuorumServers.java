// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.LockClient;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.testkit.server.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;

/** Independent servers, and clients of all of them. Clients and servers end with {@link #close()}. */
final class QuorumServers implements AutoCloseable {
    private final List<RedisServer> servers = new ArrayList<>();
    private final List<LockClient> clients = new ArrayList<>();

    /** Starts servers that vote at once. */
    static QuorumServers voting(int count) {
        QuorumServers started = start(count);
        started.servers.forEach(WatchedRun::note);
        return started;
    }

    /** Starts servers that no client has watched. */
    static QuorumServers start(int count, String... arguments) {
        QuorumServers started = new QuorumServers();
        Stream.generate(() -> RedisServer.start(arguments)).limit(count).forEach(started.servers::add);
        return started;
    }

    RedisServer get(int index) {
        return servers.get(index);
    }

    List<RedisServer> all() {
        return List.copyOf(servers);
    }

    List<RedisServer> last(int count) {
        return servers.subList(servers.size() - count, servers.size());
    }

    LockClient client(QuorumOptions options) {
        ClientOptions quick = ClientOptions.defaults().withShutdownTime(Duration.ofSeconds(1));
        List<String> uris = servers.stream().map(RedisServer::uri).toList();
        LockClient client =
                LockClient.create(RedisBackend.connectQuorum(uris, RedisOptions.defaults(), options), quick);
        clients.add(client);
        return client;
    }

    /** Restarts a server without its data, and lets it vote. */
    static void restartVoting(RedisServer server) {
        server.restart();
        WatchedRun.note(server);
        server.command("CLIENT", "KILL", "TYPE", "normal"); // so that clients ask again for how long it has been up
    }

    /** Checks that a failure says something about each server, and returns these parts of its message. */
    List<String> parts(BackendException failure) {
        String message = Objects.requireNonNull(failure.getMessage());
        String nodes = message.substring(message.indexOf("can vote: ") + "can vote: ".length());
        List<String> parts = List.of(nodes.split("; (?=redis://)")); // a cause may have a semicolon, too
        Assertions.assertThat(parts).hasSameSizeAs(servers);
        for (int i = 0; i < servers.size(); i++) {
            Assertions.assertThat(parts.get(i)).startsWith(servers.get(i).uri());
        }
        return parts;
    }

    @Override
    public void close() {
        clients.forEach(LockClient::close);
        servers.forEach(RedisServer::close);
    }
}
