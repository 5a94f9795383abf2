// SPDX-License-Identifier: Apache-2.0
/** The examples in README and docs. The build compiles and runs them. */
@NullMarked
package io.boltwork.examples;

import org.jspecify.annotations.NullMarked;
