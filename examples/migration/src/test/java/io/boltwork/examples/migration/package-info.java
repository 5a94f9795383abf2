// SPDX-License-Identifier: Apache-2.0
/** Runs each example before and after its migration, and checks what the pages say about other libraries. */
@NullMarked
package io.boltwork.examples.migration;

import org.jspecify.annotations.NullMarked;
