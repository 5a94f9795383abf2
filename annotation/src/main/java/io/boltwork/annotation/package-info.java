// SPDX-License-Identifier: Apache-2.0
/** The annotation {@link io.boltwork.annotation.DistributedLock} for methods, which frameworks execute. */
@NullMarked
package io.boltwork.annotation;

import org.jspecify.annotations.NullMarked;
