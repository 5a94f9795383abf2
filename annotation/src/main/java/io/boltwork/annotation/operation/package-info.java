// SPDX-License-Identifier: Apache-2.0
/** Annotations parsed into operations, and the steps of one call. It uses texts and targets. */
@NullMarked
package io.boltwork.annotation.operation;

import org.jspecify.annotations.NullMarked;
