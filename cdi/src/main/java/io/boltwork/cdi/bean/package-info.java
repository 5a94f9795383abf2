// SPDX-License-Identifier: Apache-2.0
/** The extension, and the beans and interceptors that it adds to an application. It uses all other rooms. */
@NullMarked
package io.boltwork.cdi.bean;

import org.jspecify.annotations.NullMarked;
