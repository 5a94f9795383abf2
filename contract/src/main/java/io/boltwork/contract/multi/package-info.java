// SPDX-License-Identifier: Apache-2.0
/**
 * The contract of multi-locks. Uses the package {@code contract} and the room {@code part}.
 */
@NullMarked
package io.boltwork.contract.multi;

import org.jspecify.annotations.NullMarked;
