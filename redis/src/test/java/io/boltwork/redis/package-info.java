// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.boltwork.redis;

import org.jspecify.annotations.NullMarked;
