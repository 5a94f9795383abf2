// SPDX-License-Identifier: Apache-2.0
/**
 * Calls intercepted and executed under their locks, in blocking, asynchronous and reactive form. It uses operations,
 * texts and targets.
 */
@NullMarked
package io.boltwork.spring.call;

import org.jspecify.annotations.NullMarked;
