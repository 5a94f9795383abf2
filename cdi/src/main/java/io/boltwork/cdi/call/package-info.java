// SPDX-License-Identifier: Apache-2.0
/**
 * Calls under locks as CDI and its libraries have them: annotations of beans, transactions, publishers and contexts. It
 * uses texts.
 */
@NullMarked
package io.boltwork.cdi.call;

import org.jspecify.annotations.NullMarked;
