// SPDX-License-Identifier: Apache-2.0
/**
 * Calls under locks as CDI and its libraries have them: transactions, publishers and contexts. It uses no other room.
 */
@NullMarked
package io.boltwork.cdi.call;

import org.jspecify.annotations.NullMarked;
