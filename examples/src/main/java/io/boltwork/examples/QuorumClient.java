// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.LockClient;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import java.time.Duration;
import java.util.List;

/** A client of locks that a majority of several servers votes for. */
final class QuorumClient {
    private QuorumClient() {}

    static LockClient open() {
        // @start region="connect"
        List<String> servers = List.of("redis://host1:6379", "redis://host2:6379", "redis://host3:6379");
        QuorumOptions quorum = QuorumOptions.defaults().longestLease(Duration.ofSeconds(40)); // the same in all clients
        LockClient locks = LockClient.create(RedisBackend.connectQuorum(servers, RedisOptions.defaults(), quorum));
        // @end
        return locks;
    }
}
