/** Measures Boltwork beside its peers and beside what Redis allows; {@code bench/run --help} explains it. */
@NullMarked
package io.boltwork.bench;

import org.jspecify.annotations.NullMarked;
