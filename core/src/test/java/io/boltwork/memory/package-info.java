// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.boltwork.memory;

import org.jspecify.annotations.NullMarked;
