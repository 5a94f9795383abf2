// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.boltwork.bench;

import org.jspecify.annotations.NullMarked;
