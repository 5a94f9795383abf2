// SPDX-License-Identifier: Apache-2.0
/**
 * Several locks as one: the order of their acquisition, and what is given back if one of them fails. Uses the locks as
 * a user does, and the engine to block.
 */
@NullMarked
package io.boltwork.engine.locks.multi;

import org.jspecify.annotations.NullMarked;
