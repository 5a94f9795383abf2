// SPDX-License-Identifier: Apache-2.0
/**
 * The machine of one latch in one client. Uses what requests are made of, and nothing of the locks' parts.
 */
@NullMarked
package io.boltwork.machine.latch;

import org.jspecify.annotations.NullMarked;
