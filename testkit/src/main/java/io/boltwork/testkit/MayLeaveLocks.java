// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Allows a test, or all tests of a class and of the classes in it, to leave locks held and callers waiting. Switches
 * off the check of {@link BoltworkExtension} and of {@link AutoConfigureBoltwork}. The next test begins with free locks
 * all the same.
 *
 * @since 0.1.0
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface MayLeaveLocks {}
