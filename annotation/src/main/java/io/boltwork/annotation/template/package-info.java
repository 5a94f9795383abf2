// SPDX-License-Identifier: Apache-2.0
/**
 * Templates in the texts of annotations, for frameworks whose own language does not fit, and the calls for which they
 * are evaluated. It uses texts, and Jakarta Expression Language if the application has it.
 */
@NullMarked
package io.boltwork.annotation.template;

import org.jspecify.annotations.NullMarked;
