// SPDX-License-Identifier: Apache-2.0
/** Measures the cost of a pair without Redis, under JMH; {@code bench/run --jmh} runs {@link EngineBenchmark}. */
@NullMarked
package io.boltwork.bench.jmh;

import org.jspecify.annotations.NullMarked;
