// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;

/** Explains that Lettuce or Netty lacks something, as the versions that Spring Boot 3 manages do. */
final class OldLibraryFailureAnalyzer extends AbstractFailureAnalyzer<LinkageError> implements Ordered {

    /** Comes before Spring Boot's own analyzers of such errors. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, LinkageError cause) {
        String missing = String.valueOf(cause.getMessage()).replace('/', '.');
        if (!missing.contains("io.lettuce.") && !missing.contains("io.netty.")) {
            return null;
        }
        return new FailureAnalysis(
                "Boltwork needs a newer Lettuce or Netty than those on the class path. Missing: " + missing,
                "Use Lettuce 7.5 or later and Netty 4.2 or later. With spring-boot-starter-parent, set the properties"
                        + " 'lettuce.version' and 'netty.version'; see \"With Spring Boot 3\" in docs/start/spring.md.",
                cause);
    }
}
