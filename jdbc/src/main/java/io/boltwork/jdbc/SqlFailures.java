// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.BackendException;
import io.boltwork.spi.Printable;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Knows what the errors of databases mean. Thread-safe. */
final class SqlFailures {

    /** The way to react to an error. */
    enum Kind {
        /** Another statement was faster; nothing was changed. */
        CONFLICT,
        /** The connection is of no use any more. */
        CONNECTION,
        /** The database is read-only: perhaps another server has become the primary. */
        READ_ONLY,
        /** The database has no room, memory or connections left. */
        EXHAUSTED,
        /** The tables are missing. */
        NO_TABLES,
        /** The database does not know the user, or the password is wrong. */
        AUTHENTICATION,
        /** The user lacks a right. */
        RIGHTS,
        /** The statement or its values are wrong. */
        INVALID,
        /** Anything else. */
        OTHER
    }

    /** Drivers and pools may quote their URLs. */
    private static final Pattern SECRETS =
            Pattern.compile("(?<=//)[^/@\\s]*:[^/\\s]*@|(?<=(?i:password|passwd|pwd|token|secret|key)=)[^&;,\\s)]+");

    private static final Set<Integer> MARIADB_CONFLICTS = Set.of(1205, 1213, 1020);
    private static final Set<Integer> MARIADB_READ_ONLY = Set.of(1290, 1792, 1836);
    private static final Set<Integer> MARIADB_EXHAUSTED = Set.of(1021, 1037, 1038, 1040, 1041, 1114, 1203, 1226, 3024);
    private static final Set<Integer> MARIADB_RIGHTS = Set.of(1044, 1142, 1143, 1227, 1370);
    /** Of MariaDB and of H2. */
    private static final Set<Integer> SYNTAX = Set.of(1064, 42000, 42001);

    /** Causes may form a circle. */
    private static final int DEEPEST = 20;

    private static final int H2_READ_ONLY = 90097;
    private static final Set<Integer> H2_CONNECTION = Set.of(90007, 90067, 90098, 90108, 90121);
    private static final Set<Integer> H2_CONFLICTS = Set.of(40001, 50200, 90131);

    private final boolean createTables;
    private final String prefix;

    SqlFailures(JdbcOptions options) {
        this.createTables = options.createTables();
        this.prefix = options.tablePrefix();
    }

    /** Returns whether nothing was changed because of other statements, so that the step may be repeated. */
    static boolean isConflict(SQLException failure) {
        return kind(failure) == Kind.CONFLICT;
    }

    /** Returns whether a row with the same key exists already. */
    static boolean isDuplicate(SQLException failure) {
        return "23505".equals(failure.getSQLState()) || failure.getErrorCode() == 1062;
    }

    /** Returns whether a statement cannot be understood at all. */
    static boolean isSyntax(SQLException failure) {
        return "42601".equals(failure.getSQLState()) || SYNTAX.contains(failure.getErrorCode());
    }

    /** Returns whether the tables are missing. */
    static boolean areTablesMissing(SQLException failure) {
        return kind(failure) == Kind.NO_TABLES;
    }

    /** Returns whether the connection must be replaced. */
    boolean breaksConnection(Throwable failure) {
        if (failure instanceof BackendException refused && refused.getCause() instanceof SQLException cause) {
            return breaksConnection(cause);
        }
        if (!(failure instanceof SQLException sql)) {
            return true;
        }
        return switch (kind(sql)) {
            case CONNECTION, READ_ONLY, AUTHENTICATION -> true;
            case NO_TABLES -> createTables; // a new connection makes them
            case CONFLICT, EXHAUSTED, RIGHTS, INVALID, OTHER -> false;
        };
    }

    /** Returns whether the database refuses a statement, so that another one may succeed on the same connection. */
    boolean isRefusal(SQLException failure) {
        return switch (kind(failure)) {
            case RIGHTS, INVALID, OTHER -> true;
            case CONFLICT, CONNECTION, READ_ONLY, EXHAUSTED, NO_TABLES, AUTHENTICATION -> false;
        };
    }

    /** Returns whether a statement that was refused may be accepted later, as far as that is known. */
    boolean mayPass(SQLException failure) {
        return failure instanceof SQLTimeoutException
                || "57".equals(String.valueOf(failure.getSQLState()).replaceAll("^(..).*", "$1"));
    }

    /** Returns whether the user lacks a right. */
    boolean isAboutRights(SQLException failure) {
        return kind(failure) == Kind.RIGHTS;
    }

    /** Returns what to do about an error; empty if that is not known. */
    String advice(SQLException failure) {
        return advice(kind(failure));
    }

    /** Returns the exception for the caller. */
    BackendException exception(String address, SQLException failure) {
        Kind kind = kind(failure);
        return new BackendException(
                address + ": " + told(failure) + unknownName(failure) + advice(kind), isRetryable(kind), failure);
    }

    /**
     * Returns that the name of the server is unknown, if that is the cause. Some drivers only say that they cannot
     * connect.
     */
    private static String unknownName(SQLException failure) {
        return Stream.iterate((Throwable) failure, Objects::nonNull, Throwable::getCause)
                .limit(DEEPEST)
                .filter(UnknownHostException.class::isInstance)
                .map(unknown -> String.valueOf(unknown.getMessage()).replaceFirst(":.*", ""))
                .map(name -> " The name '" + Printable.text(name)
                        + "' is unknown on this machine. Check the spelling, and the DNS of this machine")
                .findFirst()
                .orElse("");
    }

    /** Returns what the database, its driver or its pool says, without passwords. */
    static String told(Throwable failure) {
        String message =
                failure instanceof SQLException sql ? decisive(sql).getMessage() : String.valueOf(failure.getMessage());
        return Printable.text(SECRETS.matcher(String.valueOf(message).strip()).replaceAll("***"));
    }

    private boolean isRetryable(Kind kind) {
        return switch (kind) {
            case CONFLICT, CONNECTION, READ_ONLY, EXHAUSTED, OTHER -> true;
            case NO_TABLES -> createTables;
            case AUTHENTICATION, RIGHTS, INVALID -> false;
        };
    }

    private String advice(Kind kind) {
        return switch (kind) {
            case NO_TABLES ->
                createTables
                        ? ". The backend makes missing tables when it connects again"
                        : ". The tables with the prefix " + prefix + " are missing. Run the script of the database from"
                                + " the jar (io/boltwork/jdbc/*.sql), or use JdbcOptions.withCreateTables(true)";
            case RIGHTS ->
                ". The user needs the rights to SELECT, INSERT, UPDATE and DELETE in the tables " + prefix
                        + "*, and to create them unless they exist";
            case AUTHENTICATION -> ". Check the user, the password and the name of the database";
            case READ_ONLY -> ". The database is read-only here; the backend connects again until it is not";
            default -> "";
        };
    }

    static Kind kind(SQLException failure) {
        for (SQLException each : chain(failure)) {
            Kind kind = kindOfOne(each);
            if (kind != Kind.OTHER) {
                return kind;
            }
        }
        return failure instanceof SQLTransientConnectionException
                        || failure instanceof SQLNonTransientConnectionException
                        || failure instanceof SQLRecoverableException
                ? Kind.CONNECTION
                : Kind.OTHER;
    }

    /** Returns the error that tells the most; pools wrap it. */
    private static SQLException decisive(SQLException failure) {
        return chain(failure).stream()
                .filter(each -> kindOfOne(each) != Kind.OTHER)
                .findFirst()
                .orElse(failure);
    }

    private static List<SQLException> chain(SQLException failure) {
        List<SQLException> found = new ArrayList<>();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable each = failure; each != null && seen.add(each); each = each.getCause()) {
            if (each instanceof SQLException sql) {
                found.add(sql);
                SQLException next = sql.getNextException();
                if (next != null && seen.add(next)) {
                    found.add(next);
                }
            }
        }
        Collections.reverse(found); // the cause tells more than its wrapper
        return found;
    }

    private static Kind kindOfOne(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        int code = failure.getErrorCode();
        Kind byCode = kindOfCode(code);
        if (byCode != null) {
            return byCode;
        }
        return switch (state) {
            case "40001", "40P01", "55P03" -> Kind.CONFLICT;
            case "25006" -> Kind.READ_ONLY;
            case "57P01", "57P02", "57P03", "57P05" -> Kind.CONNECTION;
            case "42P01", "42S02", "42S03", "42S04", "3F000" -> Kind.NO_TABLES;
            case "42501", "42S81" -> Kind.RIGHTS;
            default -> kindOfClass(state);
        };
    }

    private static Kind kindOfClass(String state) {
        return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
            case "08" -> Kind.CONNECTION;
            case "53" -> Kind.EXHAUSTED;
            case "28", "3D" -> Kind.AUTHENTICATION;
            case "0A", "22", "42" -> Kind.INVALID;
            default -> Kind.OTHER;
        };
    }

    private static @Nullable Kind kindOfCode(int code) {
        if (MARIADB_CONFLICTS.contains(code) || H2_CONFLICTS.contains(code)) {
            return Kind.CONFLICT;
        }
        if (MARIADB_READ_ONLY.contains(code) || code == H2_READ_ONLY) {
            return Kind.READ_ONLY;
        }
        if (MARIADB_EXHAUSTED.contains(code)) {
            return Kind.EXHAUSTED;
        }
        if (MARIADB_RIGHTS.contains(code) || code == 90096) {
            return Kind.RIGHTS;
        }
        if (H2_CONNECTION.contains(code)) {
            return Kind.CONNECTION;
        }
        return code == 1049 || code == 1045 ? Kind.AUTHENTICATION : null;
    }
}
