// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Selects the lock whose hold a parameter of type {@link io.boltwork.Lease} receives, if a method has several locks.
 *
 * <!-- snippet: spring/Purchases.java#leases -->
 * <pre>{@code
 * @DistributedLock("stock:#{#from}")
 * @DistributedLock("stock:#{#to}")
 * public void move(
 *         String from, String to, @LeaseOf("stock:#{#from}") Lease taken, @LeaseOf("stock:#{#to}") Lease given) {
 *     stock.decrease(from, taken.fencingToken());
 *     stock.increase(to, given.fencingToken());
 * }
 * }</pre>
 *
 * @since 0.1.0
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaseOf {

    /**
     * The name of the lock, as written in its {@link DistributedLock}. If several locks have the same name, use the
     * name with its keys, such as {@code "stock:#from"}, or the group.
     *
     * @return the text of {@link DistributedLock#name()}, or the name and the keys separated by colons, or the text of
     *     {@link DistributedLock#group()}
     */
    String value();
}
