// SPDX-License-Identifier: Apache-2.0
/** Templates in the texts of annotations, and the calls for which they are evaluated. It uses no other room. */
@NullMarked
package io.boltwork.cdi.text;

import org.jspecify.annotations.NullMarked;
