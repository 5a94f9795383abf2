// SPDX-License-Identifier: Apache-2.0
/** The parts that the locks for Reactor and RxJava share. Internal. */
@NullMarked
package io.boltwork.reactive;

import org.jspecify.annotations.NullMarked;
