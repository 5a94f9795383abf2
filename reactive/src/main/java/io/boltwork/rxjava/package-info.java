// SPDX-License-Identifier: Apache-2.0
/**
 * Locks as publishers of <a href="https://github.com/ReactiveX/RxJava">RxJava 3</a>. Start with
 * {@link io.boltwork.rxjava.RxLocks}. Needs {@code rxjava} 3.1 or later.
 */
@NullMarked
package io.boltwork.rxjava;

import org.jspecify.annotations.NullMarked;
