package io.boltwork.bench;

/**
 * What a measurement cost.
 *
 * @param server what Redis did
 * @param foreign processors that were busy with other processes, on average; NaN where that cannot be told
 */
record Usage(ServerCounters server, double foreign) {
    /** Above that, others have disturbed a measurement: a tenth of a processor. */
    private static final double TOO_MUCH = 0.10;

    boolean disturbed() {
        return foreign > TOO_MUCH;
    }
}
