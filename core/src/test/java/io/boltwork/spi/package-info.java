@NullMarked
package io.boltwork.spi;

import org.jspecify.annotations.NullMarked;
