// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

/** Thrown if the sale could not be completed; the message is for the user. */
final class SaleFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SaleFailedException(String message) {
        super(message);
    }
}
