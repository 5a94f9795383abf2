// SPDX-License-Identifier: Apache-2.0
/**
 * The pages, tables and plots of the results, and the files that keep them. Uses the scenarios and all rooms below
 * them, and the benchmarks of JMH.
 */
@NullMarked
package io.boltwork.bench.page;

import org.jspecify.annotations.NullMarked;
