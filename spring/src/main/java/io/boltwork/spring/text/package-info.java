// SPDX-License-Identifier: Apache-2.0
/**
 * The texts of annotations: names, keys, conditions and messages, parsed and evaluated. It uses targets for their
 * kinds.
 */
@NullMarked
package io.boltwork.spring.text;

import org.jspecify.annotations.NullMarked;
