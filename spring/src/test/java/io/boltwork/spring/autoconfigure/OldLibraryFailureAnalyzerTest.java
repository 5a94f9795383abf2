// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spring.properties.NamedBeans;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.FailureAnalysis;

class OldLibraryFailureAnalyzerTest {

    private static FailureAnalysis analysis(LinkageError missing) {
        return new OldLibraryFailureAnalyzer()
                .analyze(new BeanCreationException(NamedBeans.BACKEND, "failed", missing));
    }

    /** Lettuce 6.6, which Spring Boot 3.5 manages, causes the first of these. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "io/lettuce/core/MaintNotificationsConfig",
                "'io.netty.channel.IoHandlerFactory io.netty.channel.nio.NioIoHandler.newFactory()'"
            })
    void namesThePropertiesThatChooseANewerVersion(String missing) {
        FailureAnalysis analysis = analysis(new NoClassDefFoundError(missing));
        assertThat(analysis.getDescription()).contains(missing.replace('/', '.'));
        assertThat(analysis.getAction()).contains("lettuce.version", "netty.version");
    }

    @Test
    void leavesOtherClassesToOtherAnalyzers() {
        assertThat(analysis(new NoClassDefFoundError("com/example/Shop"))).isNull();
    }
}
