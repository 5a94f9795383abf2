// SPDX-License-Identifier: Apache-2.0
/**
 * The contract of conditions. Uses the package {@code contract} and the room {@code part}.
 */
@NullMarked
package io.boltwork.contract.condition;

import org.jspecify.annotations.NullMarked;
