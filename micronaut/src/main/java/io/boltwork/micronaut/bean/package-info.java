// SPDX-License-Identifier: Apache-2.0
/** The beans and the interceptor that the library adds to an application. It uses all other rooms. */
@NullMarked
package io.boltwork.micronaut.bean;

import org.jspecify.annotations.NullMarked;
