// SPDX-License-Identifier: Apache-2.0
/** Connecting to a store: options, URIs, credentials. */
@NullMarked
package io.boltwork.tools.connect;

import org.jspecify.annotations.NullMarked;
