// SPDX-License-Identifier: Apache-2.0
/** Measures Boltwork beside its peers and beside the limits of Redis; {@code bench/run --help} explains it. */
@NullMarked
package io.boltwork.bench;

import org.jspecify.annotations.NullMarked;
