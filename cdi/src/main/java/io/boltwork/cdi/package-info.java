// SPDX-License-Identifier: Apache-2.0
/**
 * Locks on the methods of Jakarta CDI beans, for Quarkus, Open Liberty, WildFly and others. The annotations are those
 * of {@code io.boltwork.annotation}.
 */
@NullMarked
package io.boltwork.cdi;

import org.jspecify.annotations.NullMarked;
