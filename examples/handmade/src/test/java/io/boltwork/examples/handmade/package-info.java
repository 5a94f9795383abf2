// SPDX-License-Identifier: Apache-2.0
/** Shows each fault of the hand-written locks. */
@NullMarked
package io.boltwork.examples.handmade;

import org.jspecify.annotations.NullMarked;
