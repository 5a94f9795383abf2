// SPDX-License-Identifier: Apache-2.0
/**
 * The benchmarks of a pair without Redis, under JMH; {@code bench/run --jmh} runs {@link EngineBenchmark}. Uses no
 * other room of the bench.
 */
@NullMarked
package io.boltwork.bench.jmh;

import org.jspecify.annotations.NullMarked;
