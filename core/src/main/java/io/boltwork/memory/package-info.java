// SPDX-License-Identifier: Apache-2.0
/** A backend in memory, with the rules of the Redis backend and a clock that tests can move. */
@NullMarked
package io.boltwork.memory;

import org.jspecify.annotations.NullMarked;
