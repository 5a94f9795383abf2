// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import java.time.Duration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.env.Environment;

/*
 * A destroyed executor may still execute tasks: ExecutorService.shutdown() waits for none of them, an interrupt may be
 * ignored, and a time limit may be over. So may request threads and message listeners that were given up. What matters
 * is that they have released their locks. They share one time limit, because a shutdown must not take one for each
 * phase and one more.
 */
/**
 * Delays closing a client until its locks have been released, but no longer than one phase of the shutdown may take,
 * from the beginning of the shutdown.
 */
final class ShutdownWait
        implements DestructionAwareBeanPostProcessor, ApplicationListener<ContextClosedEvent>, ApplicationContextAware {
    static final String LIMIT = "spring.lifecycle.timeout-per-shutdown-phase";

    private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(30); // that of Spring Boot
    private static final Log LOG = LogFactory.getLog(DistributedLock.class);

    private final Environment environment;
    private @Nullable ApplicationContext context;
    private Duration limit = Duration.ZERO;
    private long begun;

    ShutdownWait(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void setApplicationContext(ApplicationContext applicationContext) {
        context = applicationContext;
    }

    /** Ignores events of child contexts. Without an event, the start has failed, and nothing is waited for. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context) {
            begun = System.nanoTime();
            limit = Binder.get(environment).bind(LIMIT, Duration.class).orElse(DEFAULT_LIMIT);
        }
    }

    @Override
    public boolean requiresDestruction(Object bean) {
        return bean instanceof LockClient;
    }

    /** Called after the beans that are destroyed before the client, and before it is closed. */
    @Override
    public void postProcessBeforeDestruction(Object bean, String beanName) {
        LockClient client = (LockClient) bean;
        Duration left = limit.minusNanos(System.nanoTime() - begun);
        try {
            if (!left.isNegative() && !client.awaitReleases(Duration.ZERO)) {
                LOG.info("The application is ending. Locks are still held: waiting at most " + left.toMillis()
                        + " ms for their release (" + LIMIT + ")");
                client.awaitReleases(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
