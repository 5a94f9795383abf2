// SPDX-License-Identifier: Apache-2.0
/**
 * Locks as publishers of <a href="https://projectreactor.io">Reactor</a>. Start with
 * {@link io.boltwork.reactor.ReactorLocks}. Needs {@code reactor-core} 3.6 or later.
 */
@NullMarked
package io.boltwork.reactor;

import org.jspecify.annotations.NullMarked;
