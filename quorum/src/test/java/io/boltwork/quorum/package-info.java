// SPDX-License-Identifier: Apache-2.0
/** Tests of quorums without a network. */
@NullMarked
package io.boltwork.quorum;

import org.jspecify.annotations.NullMarked;
