/** Measures the cost of the engine without Redis, under JMH; {@code bench/run --jmh} runs it. */
@NullMarked
package io.boltwork.bench.jmh;

import org.jspecify.annotations.NullMarked;
