package io.boltwork.examples;

/** The sale could not be run to its end; the message is for the user. */
final class SaleFailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SaleFailedException(String message) {
        super(message);
    }
}
