@NullMarked
package io.boltwork.memory;

import org.jspecify.annotations.NullMarked;
