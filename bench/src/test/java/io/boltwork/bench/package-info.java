@NullMarked
package io.boltwork.bench;

import org.jspecify.annotations.NullMarked;
