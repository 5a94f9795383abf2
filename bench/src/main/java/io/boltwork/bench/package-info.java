// SPDX-License-Identifier: Apache-2.0
/**
 * The command line of the bench, which measures Boltwork beside its peers and beside the limits of Redis. Uses all
 * rooms; {@code bench/run --help} explains it.
 */
@NullMarked
package io.boltwork.bench;

import org.jspecify.annotations.NullMarked;
