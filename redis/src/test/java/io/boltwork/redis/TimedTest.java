package io.boltwork.redis;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that holds what it measures to a bound of a quiet machine. On one that is busy, or whose hypervisor lets another one
 * run, a figure beyond it would be blamed on the lock: such a test is begun anew; see {@link TimedTests}.
 *
 * <p>If the method's first parameter is an enum, it runs for each of its constants.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(TimedTests.class)
@interface TimedTest {
    /** The names of the constants, if not all. */
    String[] value() default {};
}
