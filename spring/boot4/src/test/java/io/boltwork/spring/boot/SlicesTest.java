// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.spring.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.Nested;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;

/** Slices with their annotations of Spring Boot 4. */
class SlicesTest {

    @Nested
    @WebMvcTest
    class Mvc extends SliceWithoutLocks {}

    @Nested
    @WebFluxTest
    class WebFlux extends SliceWithoutLocks {}

    @Nested
    @WebMvcTest(properties = "boltwork.backend=memory")
    @ImportAutoConfiguration({BoltworkAutoConfiguration.class, DistributedLockAutoConfiguration.class})
    class LockedMvc extends SliceWithLocks {}

    @Nested
    @WebFluxTest(properties = "boltwork.backend=memory")
    @ImportAutoConfiguration({BoltworkAutoConfiguration.class, DistributedLockAutoConfiguration.class})
    class LockedWebFlux extends SliceWithLocks {}
}
