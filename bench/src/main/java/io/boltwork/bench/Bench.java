// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.Facts;
import io.boltwork.bench.job.StoreServer;
import io.boltwork.bench.measure.Awake;
import io.boltwork.bench.measure.Moment;
import io.boltwork.bench.measure.Progress;
import io.boltwork.bench.page.EarlierPage;
import io.boltwork.bench.page.EngineAlone;
import io.boltwork.bench.page.Plots;
import io.boltwork.bench.page.ResultPage;
import io.boltwork.bench.page.Selection;
import io.boltwork.bench.page.ShortPage;
import io.boltwork.bench.page.Store;
import io.boltwork.bench.page.StorePage;
import io.boltwork.bench.scenario.Runner;
import io.boltwork.bench.scenario.Scenario;
import io.boltwork.bench.scenario.ScenarioResults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The bench's command line. */
@Command(
        name = "bench/run",
        sortOptions = false,
        usageHelpWidth = 100,
        description = {
            "Measures Boltwork beside its peers and beside the limits of Redis, on Redis servers that it starts, or on"
                    + " a database, ZooKeeper or etcd, beside the peers there. Writes the whole page to"
                    + " bench/target/results, and the figures that matter to"
                    + " docs/inside/measurements/performance.md or stores.md. A full run takes more than an hour on a"
                    + " machine that does nothing else. It can be done in parts: the pages keep the scenarios that"
                    + " were not measured again, with their commit. --quick takes less than three minutes.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:Everything was measured.",
            "1:A lock did not exclude other threads: the run is void.",
            "2:An option is wrong.",
            "3:The bench could not run."
        })
final class Bench implements Callable<Integer> {
    private static final int VOID = 1;
    private static final int FAILED = 3;

    private static final Path DOCS = Path.of("docs", "inside", "measurements");
    private static final Path TARGET = Path.of("bench/target");
    private static final Set<Entrant> QUICK_ENTRANTS = EnumSet.of(
            Entrant.BOLTWORK,
            Entrant.REDISSON,
            Entrant.REDISSON_READ_WRITE,
            Entrant.REDISSON_SEMAPHORE,
            Entrant.REDISSON_EXPIRING,
            Entrant.JDBC_REGISTRY,
            Entrant.SHEDLOCK,
            Entrant.CURATOR,
            Entrant.ETCD_LOCK,
            Entrant.SCRIPTS,
            Entrant.PUBLISH);

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--scenarios",
            split = ",",
            paramLabel = "ID",
            description = "The scenarios to measure, such as S1,S3. The page keeps its results of the others."
                    + " Default: all.")
    private List<String> scenarios = List.of();

    @Option(
            names = "--deployment",
            paramLabel = "WHERE",
            description =
                    "standalone: one server. cluster: a Redis Cluster of three masters, for S3, S4, S7 and S10, with"
                            + " its own section on the page. postgresql, mariadb, h2, zookeeper, etcd: another"
                            + " store, for S1, S3, S4 and S7. Default: standalone.")
    private BenchDeployment deployment = BenchDeployment.STANDALONE;

    @Option(
            names = "--missing",
            description = "Measures only the scenarios that have not been measured at this commit on this machine.")
    private boolean missing;

    @Option(
            names = "--contenders",
            split = ",",
            paramLabel = "ID",
            description =
                    "The contenders, such as boltwork,redisson; --list names them. The page is incomplete then and"
                            + " goes to bench/target. Default: all.")
    private List<String> contenders = List.of();

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            description = "The repetitions of each measurement. Default: 5 where targets need it, otherwise 1 to 3;"
                    + " quick: 1.")
    private @Nullable Integer repetitions;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "The length of each measurement in seconds. Default:" + " 2; quick: 0.3.")
    private @Nullable Double seconds;

    @Option(
            names = "--quick",
            description = "Measures a few contenders in small scenarios, once, to see that everything works. The page"
                    + " goes to bench/target and is printed.")
    private boolean quick;

    @Option(names = "--jmh", description = "Measures only the engine, under JMH and without Redis.")
    private boolean jmh;

    @Option(names = "--report-only", description = "Writes the page from the data of the last run.")
    private boolean reportOnly;

    @Option(names = "--list", description = "Lists scenarios and contenders.")
    private boolean list;

    @Option(names = "--help", usageHelp = true, description = "Shows this text.")
    boolean help;

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Bench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExitCodeExceptionMapper(
                        failure -> failure instanceof ParameterException ? CommandLine.ExitCode.USAGE : FAILED);
    }

    @Override
    public Integer call() throws Exception {
        if (list) {
            Scenario.all().forEach(each -> System.out.printf("%-4s %s%n", each.id(), each.title()));
            EnumSet.allOf(Entrant.class).forEach(each -> System.out.printf("%-16s %s%n", each.id(), each.title()));
            return 0;
        }
        String lacking = StoreServer.missing(deployment);
        if (lacking != null && !reportOnly) {
            throw wrong("--deployment", lacking);
        }
        BenchPlan plan = plan();
        Set<Entrant> chosen = chosen();
        List<Scenario> wanted = wanted();
        Path place = isComplete() ? TARGET.resolve("results") : TARGET.resolve("part");
        Store store = new Store(place);
        Facts facts = Facts.now(plan);
        if (!reportOnly) {
            boolean engine =
                    jmh || (scenarios.isEmpty() && contenders.isEmpty() && deployment == BenchDeployment.STANDALONE);
            if (missing) {
                Selection there = Selection.of(store, facts);
                wanted = wanted.stream()
                        .filter(scenario -> !there.has(plan.deployment(), scenario))
                        .toList();
                engine = engine && there.engine() == null;
            }
            announce(plan, jmh ? List.of() : wanted, chosen, engine);
            if (!jmh) {
                measure(plan, facts, wanted, chosen, store);
            }
            if (engine) {
                store.save(EngineAlone.measure(facts));
            }
        }
        return report(store, facts, wanted);
    }

    /** Prints the expected time before the run begins. */
    private static void announce(BenchPlan plan, List<Scenario> wanted, Set<Entrant> chosen, boolean engine) {
        Duration time = Runner.estimate(plan, wanted, chosen).plus(engine ? EngineAlone.estimate(plan) : Duration.ZERO);
        System.err.printf(
                "%d measurements%s: about %s, until about %s; longer if other processes disturb them%n",
                Runner.measurements(plan, wanted, chosen),
                engine ? " and JMH" : "",
                Moment.text(time),
                Moment.in(time));
    }

    /** Returns whether the results are complete enough for the page. */
    private boolean isComplete() {
        return !quick && contenders.isEmpty() && seconds == null && repetitions == null;
    }

    private void measure(BenchPlan plan, Facts facts, List<Scenario> wanted, Set<Entrant> chosen, Store store)
            throws InterruptedException {
        try (Progress progress = new Progress(Runner.estimate(plan, wanted, chosen));
                Awake awake = new Awake()) {
            Runner runner = new Runner(plan, facts, chosen, progress);
            for (Scenario scenario : wanted) {
                store.save(runner.measure(scenario));
            }
        }
    }

    private int report(Store store, Facts facts, List<Scenario> wanted) throws IOException {
        boolean complete = isComplete();
        String name = deployment.isRedis() ? "performance.md" : "stores.md";
        Path page = store.directory().resolve(name);
        Selection selection = reportOnly ? Selection.newest(store, deployment) : Selection.of(store, facts);
        List<ScenarioResults> results = selection.results();
        if (!complete) {
            Set<String> ids = jmh ? Set.of() : wanted.stream().map(Scenario::id).collect(Collectors.toSet());
            results = results.stream()
                    .filter(each -> ids.contains(each.scenario()) && each.deployment() == deployment)
                    .toList();
        }
        EarlierPage earlier = complete ? EarlierPage.read(page) : EarlierPage.NONE;
        String text = deployment.isRedis()
                ? new ResultPage(results, complete || jmh ? selection.engine() : null, plots(page, results), earlier)
                        .text()
                : new StorePage(results, earlier).text();
        Files.createDirectories(Objects.requireNonNull(page.getParent()));
        Files.writeString(page, text);
        System.err.println("Wrote " + page);
        if (!complete) {
            System.out.print(text);
        } else {
            Path kept = DOCS.resolve(name);
            ShortPage shorter = new ShortPage(deployment.onSamePage(), new EarlierPage(text), EarlierPage.read(kept));
            Files.writeString(kept, shorter.text());
            System.err.println("Wrote " + kept);
            selection.remarks().forEach(System.err::println);
        }
        return exitCode(results);
    }

    /** Draws the plots of the page. Returns their files by the keys of the results, relative to the page. */
    private static Map<String, List<String>> plots(Path page, List<ScenarioResults> results) {
        Map<String, List<String>> plots = new LinkedHashMap<>();
        new Plots(page.resolveSibling("performance"))
                .draw(results)
                .forEach((id, files) -> plots.put(
                        id, files.stream().map(file -> "performance/" + file).toList()));
        return plots;
    }

    static int exitCode(List<ScenarioResults> results) {
        return results.stream().anyMatch(ScenarioResults::isVoid) ? VOID : 0;
    }

    BenchPlan plan() {
        BenchPlan base = (quick ? BenchPlan.QUICK : BenchPlan.FULL).on(deployment);
        if (repetitions != null && (repetitions < 1 || repetitions > 100)) {
            throw wrong("--repetitions", "must be between 1 and 100, but is " + repetitions);
        }
        if (seconds != null && !(seconds >= 0.1 && seconds <= 600)) {
            throw wrong("--seconds", "must be between 0.1 and 600, but is " + seconds);
        }
        long millis = seconds == null ? base.millis() : (long) (seconds * 1_000);
        return new BenchPlan(
                deployment,
                quick,
                repetitions == null ? base.repetitions() : repetitions,
                Math.min(millis, base.warmUpMillis()),
                millis,
                base.attempts());
    }

    Set<Entrant> chosen() {
        if (contenders.isEmpty()) {
            Set<Entrant> all = EnumSet.allOf(Entrant.class);
            if (quick) {
                all.retainAll(QUICK_ENTRANTS);
            }
            all.removeIf(entrant -> !entrant.isOn(deployment));
            return all;
        }
        try {
            return contenders.stream()
                    .map(Entrant::of)
                    .collect(Collectors.toCollection(() -> EnumSet.noneOf(Entrant.class)));
        } catch (IllegalArgumentException e) {
            throw wrong("--contenders", Objects.requireNonNull(e.getMessage()));
        }
    }

    List<Scenario> wanted() {
        List<Scenario> all =
                Scenario.all().stream().filter(each -> each.isOn(deployment)).toList();
        List<String> ids = all.stream().map(Scenario::id).toList();
        for (String id : scenarios) {
            if (!ids.contains(id)) {
                throw wrong(
                        "--scenarios",
                        "there is no scenario '" + id + "'"
                                + (deployment == BenchDeployment.STANDALONE ? "" : " on " + deployment.title())
                                + "; there are " + String.join(", ", ids));
            }
        }
        return all.stream()
                .filter(each -> scenarios.isEmpty() || scenarios.contains(each.id()))
                .toList();
    }

    private ParameterException wrong(String option, String why) {
        return new ParameterException(
                Objects.requireNonNull(spec).commandLine(), "Invalid value for option '" + option + "': " + why);
    }
}
