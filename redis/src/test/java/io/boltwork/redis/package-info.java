@NullMarked
package io.boltwork.redis;

import org.jspecify.annotations.NullMarked;
