// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.spring.redis.RedisFactoryException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains why the application's {@code RedisConnectionFactory} cannot be used for locks, and what to set instead. */
public final class RedisFactoryFailureAnalyzer extends AbstractFailureAnalyzer<RedisFactoryException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RedisFactoryException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
