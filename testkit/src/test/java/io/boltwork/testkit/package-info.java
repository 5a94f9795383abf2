// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.boltwork.testkit;

import org.jspecify.annotations.NullMarked;
