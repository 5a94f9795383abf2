// SPDX-License-Identifier: Apache-2.0
/** Annotations found on methods of beans, and hints for what they access. It uses texts. */
@NullMarked
package io.boltwork.spring.operation;

import org.jspecify.annotations.NullMarked;
