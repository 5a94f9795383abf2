// SPDX-License-Identifier: Apache-2.0
/** {@code boltwork bench}: puts load on a store for a while, and measures how long locks take. */
@NullMarked
package io.boltwork.tools.load;

import org.jspecify.annotations.NullMarked;
