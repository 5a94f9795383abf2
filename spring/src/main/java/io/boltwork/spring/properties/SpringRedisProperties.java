// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** The properties {@code spring.data.redis}, which locate the Redis of an application. */
public record SpringRedisProperties(
        @Nullable String url,
        @DefaultValue("localhost") String host,
        @DefaultValue("6379") int port,
        @Nullable String username,
        @Nullable String password,
        @Nullable String clientName,
        @DefaultValue("0") int database,
        @Nullable Sentinel sentinel,
        @Nullable Nodes cluster,
        @Nullable Nodes masterreplica,
        @DefaultValue Ssl ssl) {

    /** Omits the URL and the password. */
    @Override
    public String toString() {
        return host + ":" + port + "/" + database;
    }

    public record Sentinel(
            String master,
            List<String> nodes,
            @Nullable String username,
            @Nullable String password) {

        /** Omits the password. */
        @Override
        public String toString() {
            return master + " of " + nodes;
        }
    }

    public record Nodes(@DefaultValue List<String> nodes) {}

    public record Ssl(
            @DefaultValue("false") boolean enabled,
            @Nullable String bundle) {}
}
