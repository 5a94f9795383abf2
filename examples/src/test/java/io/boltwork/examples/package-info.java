@NullMarked
package io.boltwork.examples;

import org.jspecify.annotations.NullMarked;
