// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.text.LockDefinitionException;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;

/*
 * The schedulers and executors of an application that ends interrupt their tasks, and log the resulting exceptions as
 * errors. A method that was still waiting for its lock has not started. If no caller waits for its result, there is no
 * error to report.
 */
/** Tracks whether the application is ending, and decides which methods need not start in that case. */
public final class ApplicationEnd implements ApplicationListener<ContextClosedEvent>, ApplicationContextAware {
    private static final Log LOG = LogFactory.getLog(DistributedLock.class);

    private @Nullable ApplicationContext context;
    private volatile boolean ending;

    @Override
    public void setApplicationContext(ApplicationContext applicationContext) {
        context = applicationContext;
    }

    /** Ignores events of child contexts, such as that of a management server, which are also published to parents. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context) {
            ending = true;
        }
    }

    /**
     * Returns whether the application is ending and the method has no caller that needs to know that it was not
     * executed.
     */
    boolean isUnnoticed(Method method) {
        if (!ending || !has(method, Scheduled.class) && !isFireAndForget(method)) {
            return false;
        }
        LOG.debug("The application is ending: " + LockDefinitionException.where(method)
                + " was still waiting for its lock and is not executed");
        return true;
    }

    private static boolean isFireAndForget(Method method) {
        return method.getReturnType() == void.class
                && (has(method, Async.class) || has(method.getDeclaringClass(), Async.class));
    }

    private static boolean has(AnnotatedElement element, Class<? extends Annotation> annotation) {
        return MergedAnnotations.from(
                        element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
                .isPresent(annotation);
    }
}
