// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import java.time.Duration;

/**
 * A buyer in a shop.
 *
 * @param item the item that the buyer wants
 * @param number the number of the buyer, for the page
 * @param work the duration of the purchase
 */
record Buyer(String item, int number, Duration work) {}
