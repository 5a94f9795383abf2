// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.own;

import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.JavaLock;
import io.boltwork.bench.contender.Setting;
import io.boltwork.redis.RedisBackend;

/** Boltwork on a quorum of several independent servers, with its defaults. */
public final class QuorumLocks implements Contender {
    private final LockClient client;
    private final LockOptions options;

    public QuorumLocks(Setting setting) {
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
