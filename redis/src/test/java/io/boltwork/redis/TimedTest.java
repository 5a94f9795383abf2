// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that checks its measurements against a bound for a quiet machine. On a busy machine, or if the hypervisor
 * runs another one, a figure beyond the bound would be blamed on the lock, so such a test runs again; see {@link
 * TimedTests}.
 *
 * <p>If the method's first parameter is an enum, the test runs for each of its constants.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(TimedTests.class)
@interface TimedTest {
    /** The names of the constants, if not all. */
    String[] value() default {};
}
