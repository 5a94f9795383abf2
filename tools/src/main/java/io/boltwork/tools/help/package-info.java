// SPDX-License-Identifier: Apache-2.0
/** Completion for shells, and the man page. Both are made of what the commands say about themselves. */
@NullMarked
package io.boltwork.tools.help;

import org.jspecify.annotations.NullMarked;
