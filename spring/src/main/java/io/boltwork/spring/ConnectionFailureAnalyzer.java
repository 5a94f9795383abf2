package io.boltwork.spring;

import io.boltwork.BackendException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says why there is no {@code LockClient}. */
final class ConnectionFailureAnalyzer extends AbstractFailureAnalyzer<BeanCreationException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BeanCreationException cause) {
        BackendException backend = findCause(cause, BackendException.class);
        if (backend == null || !"boltworkBackend".equals(beanName(cause))) {
            return null;
        }
        return new FailureAnalysis(
                "Boltwork cannot use the backend of its locks: " + backend.getMessage(),
                backend.isRetryable()
                        ? "Start Redis, or say where it is: 'spring.data.redis.*', 'boltwork.redis.uri' or"
                                + " 'boltwork.lock.server.*'. To start without it: 'boltwork.redis.lazy-connect=true'."
                                + " Tests without Redis: 'boltwork.backend=memory'."
                        : "Correct user, password, rights or version as it says above.",
                backend);
    }

    /** The innermost bean that was being created. */
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
