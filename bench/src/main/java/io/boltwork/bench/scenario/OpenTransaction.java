// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.Setup;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.MeasurementFailedException;
import io.boltwork.bench.measure.Point;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** Scenario S20. */
final class OpenTransaction extends LoadScenario {
    private static final Point NONE = new Point("no other transaction", 0);
    private static final Point OPEN = new Point("a transaction that stays open", 1);

    @Override
    public String id() {
        return "S20";
    }

    @Override
    public String title() {
        return "One lock while a transaction stays open";
    }

    @Override
    public String about() {
        return "One thread locks and unlocks one lock of PostgreSQL. A transaction such as that of a backup stays"
                + " open from before the first pair to the end, so PostgreSQL can remove no old version of the lock's"
                + " row. The longer the measurement, the more there are: the throughput must not fall with them.";
    }

    @Override
    public List<Entrant> entrants() {
        return List.of(Entrant.BOLTWORK, Entrant.JDBC_REGISTRY);
    }

    @Override
    public boolean isOn(BenchDeployment deployment) {
        return deployment == BenchDeployment.POSTGRESQL;
    }

    @Override
    public List<Point> points(BenchPlan plan) {
        return List.of(NONE, OPEN);
    }

    @Override
    public String axis() {
        return "";
    }

    @Override
    public List<Target> targets() {
        return List.of();
    }

    @Override
    public List<Target> targetsOn(BenchDeployment store) {
        return List.of(Target.ratio(OPEN.id(), Figure.THROUGHPUT, Entrant.BOLTWORK, Entrant.JDBC_REGISTRY, true, 0.9));
    }

    @Override
    Setup setup(BenchPlan plan, Point point, Entrant entrant) {
        return Setup.of(1, LoadJob.NAME, plan.load(1, 1, 0, Duration.ZERO, plan.steady()));
    }

    @Override
    Background background(String uri, Point point) {
        return point == OPEN ? begin(uri) : super.background(uri, point);
    }

    private static Background begin(String uri) {
        try {
            Connection connection = DriverManager.getConnection(uri);
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_current_xact_id()"); // from now on it keeps old versions
            }
            return () -> {
                try {
                    connection.close();
                } catch (SQLException broken) { // it ends with the server
                }
            };
        } catch (SQLException e) {
            throw new MeasurementFailedException("PostgreSQL refused a transaction: " + e.getMessage());
        }
    }
}
