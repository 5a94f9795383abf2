// SPDX-License-Identifier: Apache-2.0
/**
 * What a machine is made of: a request, a waiter, a hold, their times and terms. Uses the API and the interface of backends only.
 */
@NullMarked
package io.boltwork.machine.request;

import org.jspecify.annotations.NullMarked;
