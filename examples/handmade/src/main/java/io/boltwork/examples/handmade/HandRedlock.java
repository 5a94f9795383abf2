// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.lettuce.core.RedisException;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A majority of independent masters, after the description of Redlock, by hand. */
final class HandRedlock {
    private final List<RedisCommands<String, String>> nodes;
    private final String key;
    private final String owner;

    HandRedlock(List<RedisCommands<String, String>> nodes, String key, String owner) {
        this.nodes = List.copyOf(nodes);
        this.key = key;
        this.owner = owner;
    }

    /** Returns for how long the lock is valid, if a majority has voted in time. */
    Optional<Duration> tryLock(Duration lease) {
        long start = System.nanoTime();
        long votes = nodes.stream().filter(node -> vote(node, lease)).count();
        Duration validity = lease.minusNanos(System.nanoTime() - start).minus(lease.dividedBy(100));
        if (votes > nodes.size() / 2 && !validity.isNegative()) {
            return Optional.of(validity); // a pause may begin here
        }
        unlock();
        return Optional.empty();
    }

    private boolean vote(RedisCommands<String, String> node, Duration lease) {
        try {
            return "OK".equals(node.set(key, owner, SetArgs.Builder.nx().px(lease)));
        } catch (RedisException e) {
            return false; // the node is down, or cannot be reached
        }
    }

    void unlock() {
        for (RedisCommands<String, String> node : nodes) {
            try {
                new LuaReleaseLock(node, key).unlock(owner);
            } catch (RedisException e) {
                // its lease will end
            }
        }
    }
}
