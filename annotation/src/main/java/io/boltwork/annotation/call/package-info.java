// SPDX-License-Identifier: Apache-2.0
/**
 * Calls executed under their locks, in blocking and asynchronous form. A framework intercepts them and executes
 * publishers. It uses operations, texts and targets.
 */
@NullMarked
package io.boltwork.annotation.call;

import org.jspecify.annotations.NullMarked;
