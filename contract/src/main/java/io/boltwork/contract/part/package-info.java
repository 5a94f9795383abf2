// SPDX-License-Identifier: Apache-2.0
/**
 * The clients, threads and locks of one test, with the check that the test leaves nothing behind, and a listener that
 * records events. Uses the package {@code contract}. It is public for the other rooms alone, and no API.
 */
@NullMarked
package io.boltwork.contract.part;

import org.jspecify.annotations.NullMarked;
