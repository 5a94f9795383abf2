// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

/** Thrown when a contender did not complete a measurement. The other contenders go on. */
public final class MeasurementFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MeasurementFailedException(String message) {
        super(message);
    }
}
