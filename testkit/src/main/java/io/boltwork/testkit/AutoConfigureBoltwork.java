// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * For tests with Spring Boot 3 or 4: locks are kept in memory, whatever backend is configured, and no server is
 * contacted. Works with {@code @SpringBootTest}, and adds locks to slices such as {@code @WebMvcTest}.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureBoltwork
 * class PurchasesTest {
 *     @Test
 *     void theStoreOfTheLocksIsDown(@Autowired Purchases purchases, @Autowired MemoryServer server) {
 *         server.cutOff();
 *         assertThat(purchases.reserve("1001")).isEqualTo("we call you back");
 *     }
 * }
 * }</pre>
 *
 * <ul>
 *   <li>All {@link io.boltwork.spi.LockBackend} beans, also those of the application, become backends of one
 *       {@link io.boltwork.memory.MemoryServer} bean. The test can define that bean itself. A
 *       {@link io.boltwork.LockClient} bean of the application becomes a client of it with default options.
 *   <li>After each test, transactions of the test included, the test fails if it has left locks, by the rules of
 *       {@link BoltworkExtension}. {@link MayLeaveLocks} switches the check off.
 *   <li>Then all locks are taken from their owners, and all locks, semaphores and latches are dropped. The server's
 *       clock stays where it is. So tests that run at the same time must not share a context.
 * </ul>
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureBoltwork {}
