// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;

/** An application that already has a Lettuce client, and keeps it. */
final class OwnLettuce {
    private OwnLettuce() {}

    static LockClient locks(RedisClient lettuce, RedisURI uri) {
        // @start region="own-lettuce"
        // uri: the same server that the application uses; close locks before lettuce
        LockClient locks = LockClient.create(RedisBackend.connect(lettuce, uri));
        // @end
        return locks;
    }
}
