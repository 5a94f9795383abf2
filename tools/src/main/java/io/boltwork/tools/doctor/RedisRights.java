// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import io.boltwork.tools.connect.RedisAccess;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Tries each right that a user of a Redis needs, with a key and a channel of its own. */
final class RedisRights {
    private static final String SUBSCRIBE = "+subscribe";

    private final RedisAccess access;
    private final String prefix;
    private final Diagnosis diagnosis;

    RedisRights(RedisAccess access, String prefix, Diagnosis diagnosis) {
        this.access = access;
        this.prefix = prefix;
        this.diagnosis = diagnosis;
    }

    /** Tries the rights at a master. */
    void examine(RedisServerLook server, boolean isCluster) {
        String id = "doctor-" + UUID.randomUUID();
        // deadlocks of several users are no concern here: the key has a name that no lock has
        String key = prefix + ":" + id;
        String channel = prefix + ":grants:" + id;
        List<String> needed = missing(RedisRight.ALWAYS, server.connection(), key, channel);
        if (!maySubscribe(server.address(), channel)) {
            needed.add(SUBSCRIBE);
        }
        if (isCluster) {
            needed.addAll(missing(RedisRight.IN_CLUSTERS, server.connection(), key, channel));
        }
        if (!needed.isEmpty()) {
            diagnosis.severe(
                    "rights",
                    server.address(),
                    "the user lacks " + String.join(" ", needed),
                    "the client cannot acquire locks, or does not learn that it has one",
                    "ACL SETUSER " + user(server.connection()) + " ~" + prefix + ":* &" + prefix + ":grants:* &"
                            + prefix + ":told:* " + String.join(" ", needed));
        }
        Map<String, List<String>> byPurpose = new LinkedHashMap<>();
        for (RedisRight right : RedisRight.SOMETIMES) {
            if (right.isMissing(server.connection(), key, channel)) {
                byPurpose
                        .computeIfAbsent(right.purpose(), purpose -> new ArrayList<>())
                        .add(right.right());
            }
        }
        byPurpose.forEach((purpose, rights) -> diagnosis.note(
                "rights",
                server.address(),
                "the user lacks " + String.join(" ", rights),
                "needed for " + purpose,
                "if that is used: ACL SETUSER " + user(server.connection()) + " " + String.join(" ", rights)));
    }

    private static List<String> missing(
            List<RedisRight> rights, StatefulRedisConnection<String, String> connection, String key, String channel) {
        List<String> missing = new ArrayList<>();
        for (RedisRight right : rights) {
            if (right.isMissing(connection, key, channel)) {
                missing.add(right.right());
            }
        }
        return missing;
    }

    private boolean maySubscribe(String server, String channel) {
        try (StatefulRedisPubSubConnection<String, String> connection = access.connectPubSub(server)) {
            connection.sync().subscribe(channel);
            return true;
        } catch (RedisException refused) {
            return !String.valueOf(refused.getMessage()).contains("NOPERM");
        }
    }

    private static String user(StatefulRedisConnection<String, String> connection) {
        try {
            return connection.sync().aclWhoami();
        } catch (RedisException withoutRight) {
            return "<user>";
        }
    }
}
