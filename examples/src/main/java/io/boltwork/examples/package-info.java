/** Examples that the README and the docs quote, compiled and run by the build. */
@NullMarked
package io.boltwork.examples;

import org.jspecify.annotations.NullMarked;
