// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import java.time.Duration;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The short forms of H2. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class H2ShortFormsTest extends ShortFormsTest {
    private static final H2Site SITE = new H2Site();

    @Override
    JdbcSite site() {
        return SITE;
    }

    @Override
    int steps() {
        return 6_000;
    }

    @Override
    Duration extensionLag() {
        return Duration.ofSeconds(1); // it asks for the time afterwards
    }
}
