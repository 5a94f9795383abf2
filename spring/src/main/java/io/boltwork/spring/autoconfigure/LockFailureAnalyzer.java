// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.text.LockDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains what is wrong with a {@link DistributedLock} and how to fix it. */
public final class LockFailureAnalyzer extends AbstractFailureAnalyzer<LockDefinitionException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LockDefinitionException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
