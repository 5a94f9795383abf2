// SPDX-License-Identifier: Apache-2.0
/** Calls under locks as Micronaut has them: arguments, contexts and Reactor's publishers. It uses no other room. */
@NullMarked
package io.boltwork.micronaut.call;

import org.jspecify.annotations.NullMarked;
