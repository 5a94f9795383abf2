// SPDX-License-Identifier: Apache-2.0
/** The output of commands: tables, JSON, text that is redrawn. */
@NullMarked
package io.boltwork.tools.output;

import org.jspecify.annotations.NullMarked;
