/**
 * Where Redis is, and what its failures mean: addresses, deployments, and the errors that users see.
 *
 * <p>This package is not API: its types are public only for the other packages of this module, and may change at any time.
 */
@NullMarked
package io.boltwork.redis.address;

import org.jspecify.annotations.NullMarked;
