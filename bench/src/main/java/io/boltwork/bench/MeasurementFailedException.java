package io.boltwork.bench;

/** A contender did not get through a measurement; the others go on. */
final class MeasurementFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MeasurementFailedException(String message) {
        super(message);
    }
}
