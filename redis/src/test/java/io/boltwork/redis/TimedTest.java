package io.boltwork.redis;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that holds what it measures to a bound of so few milliseconds that a machine which stands still for a moment, for its
 * hypervisor lets another one run, would be blamed on the lock. It is begun anew if that befell it; see {@link TimedTests}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(TimedTests.class)
@interface TimedTest {}
