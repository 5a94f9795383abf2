package io.boltwork.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code docs/performance.md}: everything on it comes from the data. */
final class Page {
    /** A peer has to be better by that much to be said to be: less is within what repetitions differ by. */
    private static final double NOTABLE = 1.03;

    private final List<ScenarioResults> all;
    private final Map<String, Scenario> scenarios =
            Scenario.all().stream().collect(Collectors.toMap(Scenario::id, Function.identity()));
    private final @Nullable Engine engine;
    private final Map<String, List<String>> plots;
    private final StringBuilder out = new StringBuilder();

    /**
     * @param all what was measured
     * @param engine what JMH measured
     * @param plots the files of each scenario's plots, as seen from the page
     */
    Page(List<ScenarioResults> all, @Nullable Engine engine, Map<String, List<String>> plots) {
        this.all = all;
        this.engine = engine;
        this.plots = plots;
    }

    String text() {
        out.setLength(0);
        line("# Performance");
        line();
        introduction();
        targets();
        peers();
        conditions();
        all.forEach(this::scenario);
        engine();
        return out.toString();
    }

    private void introduction() {
        line(
                "Written by `bench/run` from what it measured; do not edit. Absolute numbers are this machine's, whose processors"
                        + " the clients and Redis share: look at the ratios, and measure yours.");
        line();
        List<String> voided = all.stream()
                .filter(ScenarioResults::isVoid)
                .map(ScenarioResults::scenario)
                .toList();
        if (!voided.isEmpty()) {
            line("**VOID: a lock did not exclude in " + String.join(", ", voided) + "**; see there.");
            line();
        }
        if (all.stream().anyMatch(results -> results.facts().plan().quick())) {
            line("**A quick run**, to see that everything works: too short to compare anything.");
            line();
        }
    }

    private void targets() {
        line("## What was to be reached");
        line();
        line("Medians of the repetitions, ratios within one run.");
        line();
        line("| | what | target | measured | reached |");
        line("|---|---|---:|---:|---|");
        for (ScenarioResults results : all) {
            for (Target target : scenario(results.scenario()).targets()) {
                double measured = target.value().applyAsDouble(results);
                if (Double.isNaN(measured) && results.facts().plan().quick()) {
                    continue; // it has fewer points and contenders
                }
                String reached = Double.isNaN(measured) ? "not measured" : target.reached(measured) ? "yes" : "**no**";
                row(results.scenario(), target.what(), target.boundText(), Target.number(measured), reached);
            }
        }
        line();
    }

    private void peers() {
        line("## Where a peer is better");
        line();
        line("Than Boltwork as it is by default, by more than 3 %; the best peer of each figure.");
        line();
        List<String> rows = new ArrayList<>();
        for (ScenarioResults results : all) {
            for (String point : results.points()) {
                for (Figure figure : scenario(results.scenario()).columns()) {
                    better(results, point, figure)
                            .ifPresent(peer -> rows.add(cells(
                                    results.scenario() + ", " + point,
                                    figure.title(),
                                    Target.number(results.median(point, Entrant.BOLTWORK, figure)),
                                    Target.number(results.median(point, peer, figure)),
                                    peer.title())));
                }
            }
        }
        if (rows.isEmpty()) {
            line("Nowhere.");
        } else {
            line("| where | what | Boltwork | the peer | who |");
            line("|---|---|---:|---:|---|");
            rows.forEach(this::line);
        }
        line();
    }

    /** The best peer, if it is better. */
    private static Optional<Entrant> better(ScenarioResults results, String point, Figure figure) {
        if (figure.better() == Figure.Better.NEITHER) {
            return Optional.empty();
        }
        boolean more = figure.better() == Figure.Better.MORE;
        double ours = results.median(point, Entrant.BOLTWORK, figure);
        Comparator<Entrant> byFigure = Comparator.comparingDouble(entrant -> results.median(point, entrant, figure));
        return results.entrants(point).stream()
                .filter(Entrant::isPeer)
                .filter(entrant -> !Double.isNaN(results.median(point, entrant, figure)))
                .max(more ? byFigure : byFigure.reversed())
                .filter(peer -> {
                    double theirs = results.median(point, peer, figure);
                    return more ? theirs > ours * NOTABLE : theirs * NOTABLE < ours;
                });
    }

    private void conditions() {
        line("## Machine, versions, method");
        line();
        Map<String, String> facts = new LinkedHashMap<>();
        for (ScenarioResults results : all) {
            facts.putAll(results.facts().machine());
            facts.putAll(results.facts().versions());
        }
        line("| | |");
        line("|---|---|");
        facts.forEach((name, value) -> row(name, value));
        line();
        line(
                "All contenders: `bench/run`, a single scenario: `bench/run --scenarios S1`; `bench/run --help` has the rest."
                        + " The raw data are in `bench/target/results`.");
        line();
        line(
                "- Each measurement has a Redis of its own, without persistence, and JVMs of its own, which warm up first: with"
                        + " sixteen threads on locks of their own, then with what is to be measured.");
        line(
                "- What is built on Lettuce uses Netty's epoll, which comes with Boltwork; Redisson Java's sockets, its default.");
        line("- Contenders take turns, repetition by repetition, each time beginning with another one.");
        line(
                "- Each lock guards an unsafe counter and a mark of who is inside, in memory that the JVMs share. A lost update or"
                        + " an overlap voids the run.");
        line(
                "- A measurement during which other processes used more than a tenth of a processor is thrown away and made"
                        + " again.");
        line(
                "- Threads ask again as soon as they have given the lock back. Throughput counts turns that ended within the time;"
                        + " waits count to their end.");
        line(
                "- Requests are what clients send, commands what their scripts call, both as Redis counts them (`INFO`); CPU is"
                        + " that of the measured JVMs and of Redis. All of them are per pair of lock and unlock unless a column says"
                        + " something else.");
        line();
        line("| contender | what it is |");
        line("|---|---|");
        Stream.of(Entrant.values()).forEach(entrant -> row("`" + entrant.id() + "`", entrant.title()));
        line();
    }

    private void scenario(ScenarioResults results) {
        Scenario scenario = scenario(results.scenario());
        Plan plan = results.facts().plan();
        line("## " + scenario.id() + ": " + scenario.title());
        line();
        line(scenario.about());
        line();
        line("`bench/run --scenarios " + scenario.id() + "`, " + results.facts().date() + ", medians of "
                + results.samples().stream().mapToInt(Sample::repetition).max().orElse(0) + ", "
                + plan.millis() / 1e3 + " s each unless it says something else.");
        line();
        for (String plot : plots.getOrDefault(scenario.id(), List.of())) {
            line("![" + plot.substring(plot.lastIndexOf('/') + 1).replace(".svg", "") + "](" + plot + ")");
            line();
        }
        if (results.points().size() > 3) {
            map(results, scenario);
        }
        for (String point : results.points()) {
            table(results, scenario, point);
        }
    }

    /** The first column's figure of all points. */
    private void map(ScenarioResults results, Scenario scenario) {
        Figure figure = scenario.columns().get(0);
        List<Entrant> entrants = scenario.entrants().stream()
                .filter(entrant -> isMeasured(results, entrant))
                .toList();
        List<String> heads = new ArrayList<>(List.of(figure.title()));
        entrants.stream().map(Entrant::title).forEach(heads::add);
        heads.add(Entrant.BOLTWORK.title() + " / " + Entrant.REDISSON.title());
        line(cells(heads.toArray(String[]::new)));
        line("|---|" + "---:|".repeat(entrants.size() + 1));
        for (String point : results.points()) {
            List<String> cells = new ArrayList<>(List.of(point));
            entrants.forEach(entrant -> cells.add(Target.number(results.median(point, entrant, figure))));
            cells.add(Target.number(
                    results.median(point, Entrant.BOLTWORK, figure) / results.median(point, Entrant.REDISSON, figure)));
            line(cells(cells.toArray(String[]::new)));
        }
        line();
    }

    private static boolean isMeasured(ScenarioResults results, Entrant entrant) {
        return results.points().stream()
                .anyMatch(point -> results.entrants(point).contains(entrant));
    }

    private void engine() {
        if (engine == null) {
            return;
        }
        line("## The engine alone");
        line();
        line(
                "JMH with `-prof gc`, on a backend in memory: what a pair costs without Redis and network. `bench/run --jmh`, "
                        + engine.facts().date() + ".");
        line();
        line("| | ns | ± | B |");
        line("|---|---:|---:|---:|");
        engine.rows()
                .forEach(row -> row(
                        "`" + row.name() + "`",
                        Target.number(row.nanos()),
                        Target.number(row.error()),
                        Target.number(row.bytes())));
        line();
    }

    private void table(ScenarioResults results, Scenario scenario, String point) {
        List<Figure> columns = scenario.columns();
        Figure first = columns.get(0);
        double reference = results.median(point, Entrant.REDISSON, first);
        line("**" + point + "**");
        line();
        List<String> heads = new ArrayList<>(List.of("", first.title(), "× Redisson"));
        columns.stream().skip(1).map(Figure::title).forEach(heads::add);
        line(cells(heads.toArray(String[]::new)));
        line("|---|" + "---:|".repeat(columns.size() + 1));
        List<String> remarks = new ArrayList<>();
        for (Entrant entrant : results.entrants(point)) {
            double value = results.median(point, entrant, first);
            List<String> cells = new ArrayList<>();
            cells.add(entrant == Entrant.BOLTWORK ? "**" + entrant.title() + "**" : entrant.title());
            cells.add(Target.number(value));
            cells.add(Target.number(value / reference));
            columns.stream()
                    .skip(1)
                    .map(figure -> Target.number(results.median(point, entrant, figure)))
                    .forEach(cells::add);
            line(cells(cells.toArray(String[]::new)));
            results.remarks(point, entrant).forEach(remark -> remarks.add(entrant.title() + ": " + remark));
        }
        line();
        remarks.forEach(remark -> line("- " + remark));
        if (!remarks.isEmpty()) {
            line();
        }
    }

    private Scenario scenario(String id) {
        Scenario scenario = scenarios.get(id);
        if (scenario == null) {
            throw new IllegalArgumentException("There is no scenario " + id);
        }
        return scenario;
    }

    private void row(String... cells) {
        line(cells(cells));
    }

    private static String cells(String... cells) {
        return "| " + String.join(" | ", cells) + " |";
    }

    private void line(String text) {
        out.append(text).append('\n');
    }

    private void line() {
        line("");
    }
}
