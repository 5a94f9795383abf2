// SPDX-License-Identifier: Apache-2.0
/** The flash sale as a Spring Boot application: {@link io.boltwork.examples.web.FlashSaleApplication}. */
@NullMarked
package io.boltwork.examples.web;

import org.jspecify.annotations.NullMarked;
