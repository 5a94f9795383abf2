// SPDX-License-Identifier: Apache-2.0
/**
 * The beans of the starter, and explanations of a failed start. It uses all other packages, and none of them uses it.
 */
@NullMarked
package io.boltwork.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
