// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.boltwork.examples;

import org.jspecify.annotations.NullMarked;
