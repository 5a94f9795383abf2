/** Shows each fault of the hand-written locks. */
@NullMarked
package io.boltwork.examples.handmade;

import org.jspecify.annotations.NullMarked;
