// SPDX-License-Identifier: Apache-2.0
/**
 * Conditions to wait for, bounds of time that suit the machine, and threads whose results and failures a test gets.
 * Uses the JDK alone.
 */
@NullMarked
package io.boltwork.testkit.wait;

import org.jspecify.annotations.NullMarked;
