// SPDX-License-Identifier: Apache-2.0
/** What the locks for Reactor and RxJava have in common. Internal. */
@NullMarked
package io.boltwork.reactive;

import org.jspecify.annotations.NullMarked;
