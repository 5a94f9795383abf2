// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spring.LockTemplate;
import io.boltwork.testkit.server.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** A second client beside that of the starter, as docs/start/spring.md shows it. */
@SpringBootTest(properties = {"boltwork.backend=memory", "spring.datasource.url=jdbc:h2:mem:second"})
@Import(SecondClientTest.Audit.class)
class SecondClientTest {
    private static final RedisServer REDIS = RedisServer.start();

    @AfterAll
    static void close() {
        REDIS.close();
    }

    @Test
    void theStartersClientIsStillTheDefault(
            @Autowired Purchases purchases,
            @Autowired LockClient locks,
            @Autowired LockTemplate template,
            @Autowired @Qualifier("auditLocks") LockClient audit,
            @Autowired @Qualifier("auditTemplate") LockTemplate auditTemplate) {
        assertThat(audit).isNotSameAs(locks);
        assertThat(purchases.buy("1001")).isTrue();
        template.executeWithoutResult("a", lease -> {
            assertThat(locks.lock("a").isLocked()).isTrue();
            assertThat(audit.lock("a").isLocked()).isFalse();
        });
        auditTemplate.executeWithoutResult("a", lease -> {
            assertThat(audit.lock("a").isLocked()).isTrue();
            assertThat(locks.lock("a").isLocked()).isFalse();
        });
    }

    /** The second client. */
    static class Audit {
        private final String uri = REDIS.uri();

        // @start region="second-client"
        @Bean(defaultCandidate = false)
        LockClient auditLocks() {
            return LockClient.create(RedisBackend.connect(uri));
        }

        @Bean(defaultCandidate = false)
        LockTemplate auditTemplate(@Qualifier("auditLocks") LockClient locks) {
            return new LockTemplate(locks);
        }
        // @end
    }
}
