/** Distributed locks: {@link io.boltwork.LockClient} is where to begin. */
@NullMarked
package io.boltwork;

import org.jspecify.annotations.NullMarked;
