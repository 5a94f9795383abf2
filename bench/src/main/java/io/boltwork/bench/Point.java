package io.boltwork.bench;

/**
 * A point of a scenario: what is varied.
 *
 * @param id such as {@code 16 threads}
 * @param x where it stands on a plot's axis
 */
record Point(String id, double x) {}
