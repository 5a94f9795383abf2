// SPDX-License-Identifier: Apache-2.0
/** The check of all beans at the start of an application. It uses operations and texts, and executes nothing. */
@NullMarked
package io.boltwork.spring.check;

import org.jspecify.annotations.NullMarked;
