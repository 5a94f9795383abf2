// SPDX-License-Identifier: Apache-2.0
/**
 * Calls executed under their locks, in blocking and asynchronous form. A framework intercepts them and executes
 * publishers. It uses all other rooms.
 */
@NullMarked
package io.boltwork.annotation.call;

import org.jspecify.annotations.NullMarked;
