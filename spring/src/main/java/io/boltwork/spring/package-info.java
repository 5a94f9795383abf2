/**
 * Locks for Spring Boot: {@link io.boltwork.spring.DistributedLock} on a method, {@link io.boltwork.spring.LockTemplate} in code,
 * and a {@link io.boltwork.LockClient} that is configured by properties alone.
 */
@NullMarked
package io.boltwork.spring;

import org.jspecify.annotations.NullMarked;
