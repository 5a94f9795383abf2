// SPDX-License-Identifier: Apache-2.0
/**
 * The expressions of annotations (SpEL): parsed, checked before they are needed, and evaluated. It uses the texts that
 * all frameworks share.
 */
@NullMarked
package io.boltwork.spring.text;

import org.jspecify.annotations.NullMarked;
