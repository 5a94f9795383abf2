// SPDX-License-Identifier: Apache-2.0
/**
 * Calls intercepted by an advice, and publishers executed under locks. It uses operations, texts and targets.
 */
@NullMarked
package io.boltwork.spring.call;

import org.jspecify.annotations.NullMarked;
