// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.measure.Figure;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A target of a scenario.
 *
 * @param what the description
 * @param atLeast whether the bound is a lower one
 * @param bound the bound
 * @param value the measured value; NaN if it was not measured
 */
public record Target(String what, boolean atLeast, double bound, ToDoubleFunction<ScenarioResults> value) {

    /** Returns a target for one contender's figure as a multiple of another's. */
    static Target ratio(String point, Figure figure, Entrant who, Entrant other, boolean atLeast, double bound) {
        return new Target(
                point + ": " + figure.title() + ", " + who.title() + " / " + other.title(),
                atLeast,
                bound,
                results -> results.median(point, who, figure) / results.median(point, other, figure));
    }

    /** Returns a target for the difference by which one contender's figure is larger than another's. */
    static Target difference(String point, Figure figure, Entrant who, Entrant other, boolean atLeast, double bound) {
        return new Target(
                point + ": " + figure.title() + ", " + who.title() + " - " + other.title(),
                atLeast,
                bound,
                results -> results.median(point, who, figure) - results.median(point, other, figure));
    }

    /** Returns a target for one contender's figure. */
    static Target figure(String point, Figure figure, Entrant who, boolean atLeast, double bound) {
        return new Target(
                point + ": " + figure.title() + ", " + who.title(),
                atLeast,
                bound,
                results -> results.median(point, who, figure));
    }

    public boolean reached(double measured) {
        return atLeast ? measured >= bound : measured <= bound;
    }

    public String boundText() {
        return (atLeast ? "≥ " : "≤ ") + number(bound);
    }

    public static String number(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        double size = Math.abs(value);
        if (size >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.1f" : size >= 0.1 || size == 0 ? "%.2f" : "%.4f", value)
                .replaceFirst("(\\.\\d*?)0+$", "$1")
                .replaceFirst("\\.$", "");
    }
}
