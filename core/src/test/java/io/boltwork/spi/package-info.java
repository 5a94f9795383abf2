// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.boltwork.spi;

import org.jspecify.annotations.NullMarked;
