// SPDX-License-Identifier: Apache-2.0
/**
 * Figures and the means to take them: statistics, waits, the state of the machine and of a JVM, progress. Uses no other
 * room of the bench.
 */
@NullMarked
package io.boltwork.bench.measure;

import org.jspecify.annotations.NullMarked;
