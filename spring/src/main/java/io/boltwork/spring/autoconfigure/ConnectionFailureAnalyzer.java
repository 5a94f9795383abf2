// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.BackendException;
import io.boltwork.spi.Printable;
import io.boltwork.spring.properties.ClientProperties;
import io.boltwork.spring.properties.NamedBeans;
import io.boltwork.spring.redis.RedisStartException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/** Explains why no {@code LockClient} could be created. */
final class ConnectionFailureAnalyzer extends AbstractFailureAnalyzer<BeanCreationException> {

    /** Redis is connected when the backend is made, and other stores when the client is. */
    private static final Set<String> BEANS = Set.of(NamedBeans.BACKEND, BoltworkAutoConfiguration.CLIENT);

    private final @Nullable Environment environment;

    ConnectionFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BeanCreationException cause) {
        BackendException backend = findCause(cause, BackendException.class);
        String bean = String.valueOf(beanName(cause));
        String client = BEANS.contains(bean) ? null : client(bean);
        if (backend == null || client == null && !BEANS.contains(bean)) {
            return null;
        }
        RedisStartException redis = findCause(cause, RedisStartException.class);
        return new FailureAnalysis(
                "Boltwork cannot use "
                        + (client == null ? "its lock backend" : "the lock backend of '" + Printable.text(client) + "'")
                        + ": " + (redis == null ? backend : redis).getMessage(),
                redis != null
                        ? redis.action()
                        : client == null ? action(backend) : ClientProperties.named(client, action(backend)),
                backend);
    }

    /** Returns the client of that bean; {@code null} if the properties describe none. */
    private @Nullable String client(String bean) {
        return environment == null
                ? null
                : ClientProperties.names(environment).stream()
                        .filter(name -> bean.equals(name + NamedClients.CLIENT))
                        .findFirst()
                        .orElse(null);
    }

    private static String action(BackendException backend) {
        return backend.isRetryable()
                ? "Start what the message names, or correct its address: boltwork.lock.server.address of a quorum,"
                        + " boltwork.zookeeper.connect-string, boltwork.etcd.endpoints, or that of the DataSource bean."
                        + " For tests without a server, set boltwork.backend=memory."
                : "Correct what the message above names, such as the user, its rights, the version, or the size of"
                        + " the pool.";
    }

    /** Returns the name of the innermost bean that was being created. */
    private static @Nullable String beanName(Throwable failure) {
        String name = null;
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof BeanCreationException creation) {
                name = creation.getBeanName();
            }
        }
        return name;
    }
}
