// SPDX-License-Identifier: Apache-2.0
/** The locks of other libraries, each called as its users call it. Uses the room {@code contender}. */
@NullMarked
package io.boltwork.bench.contender.peer;

import org.jspecify.annotations.NullMarked;
