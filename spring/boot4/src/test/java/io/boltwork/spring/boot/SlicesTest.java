// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import io.boltwork.testkit.AutoConfigureBoltwork;
import org.junit.jupiter.api.Nested;
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
    @WebMvcTest
    @AutoConfigureBoltwork
    class LockedMvc extends SliceWithLocks {}

    @Nested
    @WebFluxTest
    @AutoConfigureBoltwork
    class LockedWebFlux extends SliceWithLocks {}
}
