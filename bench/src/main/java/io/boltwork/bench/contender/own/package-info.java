// SPDX-License-Identifier: Apache-2.0
/** Boltwork as a contender, on one server, on a store, and on a quorum. Uses the room {@code contender}. */
@NullMarked
package io.boltwork.bench.contender.own;

import org.jspecify.annotations.NullMarked;
