/** What the engine costs by itself, without Redis, under JMH; {@code bench/run --jmh}. */
@NullMarked
package io.boltwork.bench.jmh;

import org.jspecify.annotations.NullMarked;
