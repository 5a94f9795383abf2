// SPDX-License-Identifier: Apache-2.0
/**
 * What CDI and its libraries add to calls under locks: annotations of beans, transactions, publishers and contexts. It
 * uses texts.
 */
@NullMarked
package io.boltwork.cdi.call;

import org.jspecify.annotations.NullMarked;
