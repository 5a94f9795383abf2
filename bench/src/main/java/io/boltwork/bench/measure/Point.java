// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

/**
 * A point of a scenario, with a value of the parameter that varies.
 *
 * @param id the name, such as {@code 16 threads}
 * @param x the position on a plot's axis
 */
public record Point(String id, double x) {}
