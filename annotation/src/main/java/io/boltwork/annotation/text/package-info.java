// SPDX-License-Identifier: Apache-2.0
/**
 * Texts of annotations, in whatever language a framework has, and the names of locks that come from them. It uses the
 * API, the types of the annotation and the kinds of targets.
 */
@NullMarked
package io.boltwork.annotation.text;

import org.jspecify.annotations.NullMarked;
