// SPDX-License-Identifier: Apache-2.0
/**
 * Locks for methods: {@link io.boltwork.annotation.DistributedLock} with its enums, exceptions and hooks. Frameworks
 * execute it: {@code boltwork-spring-boot-starter} for Spring Boot.
 */
@NullMarked
package io.boltwork.annotation;

import org.jspecify.annotations.NullMarked;
