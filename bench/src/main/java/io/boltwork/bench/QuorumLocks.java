// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.redis.RedisBackend;

/** Boltwork on a quorum of several independent servers, with its defaults. */
final class QuorumLocks implements Contender {
    private final LockClient client;
    private final LockOptions options;

    QuorumLocks(Setting setting) {
        client = LockClient.create(RedisBackend.connectQuorum(setting.uris()));
        options = LockOptions.renewedLease(setting.lease());
    }

    @Override
    public BenchLock lock(String name) {
        return new JavaLock(client.lock(name, options));
    }

    @Override
    public void close() {
        client.close();
    }
}
