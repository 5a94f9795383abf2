/** Tests of locks in databases. */
@NullMarked
package io.boltwork.jdbc;

import org.jspecify.annotations.NullMarked;
