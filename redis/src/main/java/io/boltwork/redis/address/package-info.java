/**
 * The place of Redis and the meaning of its failures: addresses, deployments, and the errors that users see.
 *
 * <p>This package is not API: its types are public only for the other packages of this module, and may change at any time.
 */
@NullMarked
package io.boltwork.redis.address;

import org.jspecify.annotations.NullMarked;
