@NullMarked
package io.boltwork.testkit;

import org.jspecify.annotations.NullMarked;
