// SPDX-License-Identifier: Apache-2.0
/**
 * Locks for Spring Boot: {@link io.boltwork.annotation.DistributedLock} for methods, {@link
 * io.boltwork.spring.LockTemplate} for code, and a {@link io.boltwork.LockClient} that is configured entirely by
 * properties.
 */
@NullMarked
package io.boltwork.spring;

import org.jspecify.annotations.NullMarked;
