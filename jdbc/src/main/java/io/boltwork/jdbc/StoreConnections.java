// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.BackendException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a store: some for commands, and one for messages. They are taken from the data source at the
 * beginning and kept, so that a pool that its other users have emptied stops no renewal. One thread takes them, checks
 * those that are idle, and replaces broken ones. Only that thread waits for the data source. Thread-safe.
 */
final class StoreConnections {
    /** Shorter than firewalls and pools take to drop an idle connection. */
    private static final long PING = TimeUnit.SECONDS.toNanos(5);
    /** As long as HikariCP waits for a connection by default. */
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(30);
    /** The pauses between attempts to connect double from the first to the longest. */
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(2);
    /** Far longer than it takes to connect, and shorter than a pool lets its users wait. */
    private static final long LATE_MILLIS = 5_000;

    private final DataSource source;
    private final KnownPool pool;
    private final Duration timeout;
    private final int commands;
    private final SqlFailures failures;
    private final StoreTables tables;
    private final Thread thread = new Thread(this::run, "boltwork-jdbc-connections");

    /** The connections for commands that are not in use. */
    private final BlockingQueue<StoreSession> idle;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** All connections that are open, also those in use. Guarded by {@link #lock}. */
    private final List<StoreSession> open = new ArrayList<>();

    /** The number of connections for commands that are open. Guarded by {@link #lock}. */
    private int forCommands;

    /** The time at which the last connection for commands was lost. Guarded by {@link #lock}. */
    private long lostAt = System.nanoTime();

    /** The time at which the last connection was made, or the first missing one was lost. Guarded by {@link #lock}. */
    private long shortSince = System.nanoTime();

    /** Set while the connection for messages is open. Guarded by {@link #lock}. */
    private boolean hasMessenger;

    /** The connection for messages until its thread takes it. Guarded by {@link #lock}. */
    private @Nullable StoreSession messenger;

    /** The reason why there are fewer connections than there should be. Guarded by {@link #lock}. */
    private @Nullable Throwable problem;

    /** The attempts to connect that were given up and have not ended. */
    private final AtomicInteger abandoned = new AtomicInteger();

    private volatile boolean closed;

    /** The failure of all calls after the application has closed its pool, so that no connection can be opened. */
    private volatile @Nullable BackendException end;

    /** Set if idle connections must be checked at once, because another one has broken. */
    private volatile boolean suspect;

    StoreConnections(DataSource source, JdbcOptions options, StoreTables tables, int commands) {
        this.source = source;
        this.pool = new KnownPool(source);
        this.timeout = options.commandTimeout();
        this.failures = tables.failures();
        this.tables = tables;
        tables.expect(pool.url());
        this.commands = commands;
        this.idle = new ArrayBlockingQueue<>(commands);
        thread.setDaemon(true);
    }

    /**
     * Begins to connect.
     *
     * @return a warning if the pool is small; {@code null} otherwise
     * @throws BackendException if the pool is too small
     */
    @Nullable
    String start() {
        String warning = pool.check(commands + 1);
        thread.start();
        return warning;
    }

    // ================================================================ for commands

    /** Executes statements of one session. */
    interface SqlCall<T> {
        T on(StoreSession session) throws SQLException;
    }

    /**
     * Executes statements on one of the connections for commands. Fails at once if there is none.
     *
     * @throws BackendException if it fails
     */
    <T> T call(SqlCall<T> call) {
        StoreSession session = take();
        Throwable failure = null;
        try {
            return call.on(session);
        } catch (SQLException failed) {
            failure = failed;
            throw exception(failed);
        } catch (RuntimeException | Error defect) {
            failure = defect;
            throw defect;
        } finally {
            if (failure != null && failures.breaksConnection(failure)) {
                lost(session, failure);
            } else {
                session.used();
                giveBack(session);
            }
        }
    }

    private StoreSession take() {
        StoreSession session = idle.poll();
        if (session != null) {
            return session;
        }
        long patience = checkUsable();
        try {
            session = idle.poll(patience, TimeUnit.NANOSECONDS);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted", closing);
        }
        if (session == null) {
            if (checkUsable() < timeout.toNanos()) {
                throw unavailable("there is no connection", problem());
            }
            throw unavailable("no connection was free within " + timeout.toMillis() + " ms", null);
        }
        return session;
    }

    /**
     * Returns how many nanoseconds to wait for a connection. There may be none for a moment, which one command timeout
     * bounds for all commands together; then they fail at once.
     */
    private long checkUsable() {
        lock.lock();
        try {
            if (closed) {
                throw unavailable("the backend is closed", null);
            }
            long left = timeout.toNanos();
            if (forCommands == 0) {
                left -= System.nanoTime() - lostAt;
            }
            BackendException over = end;
            if (over != null) {
                throw over;
            }
            if (left <= 0) {
                throw problem == null ? unavailable("there is no connection", null) : exception(problem);
            }
            return left;
        } finally {
            lock.unlock();
        }
    }

    private BackendException unavailable(String why, @Nullable Throwable cause) {
        return new BackendException(tables.address() + ": " + why, true, cause);
    }

    private void giveBack(StoreSession session) {
        boolean isIdle = !closed && idle.offer(session);
        if (!isIdle) {
            session.close();
        } else if (closed && idle.remove(session)) {
            session.close();
        }
    }

    private void lost(StoreSession session, Throwable cause) {
        change(() -> {
            if (open.remove(session)) {
                noteShort();
                forCommands--;
                lostAt = System.nanoTime();
                problem = cause;
            }
        });
        suspect = true;
        tables.missed(cause);
        session.discard();
        LockSupport.unpark(thread);
    }

    /** Keeps the time from which a connection is missing. Called before the number changes. */
    private void noteShort() {
        if (hasMessenger && forCommands == commands) {
            shortSince = System.nanoTime();
        }
    }

    /** Returns a warning if the data source has not given all connections for some time; {@code null} otherwise. */
    @Nullable
    String late() {
        lock.lock();
        try {
            boolean isShort = !hasMessenger || forCommands < commands;
            boolean isLate = System.nanoTime() - shortSince > TimeUnit.MILLISECONDS.toNanos(LATE_MILLIS);
            if (!isShort || !isLate || closed) {
                return null;
            }
            String why = problem == null ? "" : SqlFailures.told(problem);
            return pool.late(commands + 1, open.size(), LATE_MILLIS, why);
        } finally {
            lock.unlock();
        }
    }

    /** Returns why there is no connection for commands, or will be none; {@code null} if there is one. */
    @Nullable
    Throwable outage() {
        lock.lock();
        try {
            return end != null
                    ? end
                    : forCommands > 0 ? null : problem == null ? unavailable("there is no connection", null) : problem;
        } finally {
            lock.unlock();
        }
    }

    // ================================================================ for messages

    /** Waits for the connection for messages, and for one for commands. */
    StoreSession takeMessenger() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (messenger == null || forCommands == 0) {
                checkEnd();
                changed.await();
            }
            StoreSession taken = messenger;
            messenger = null;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private void checkEnd() {
        BackendException over = end;
        if (over != null) {
            throw over;
        }
    }

    /** Returns why there will be no connection any more; {@code null} if there may be. */
    @Nullable
    BackendException end() {
        return end;
    }

    /** Finds out whether a connection was lost because the application has closed its pool. */
    private @Nullable BackendException endOf(Throwable failure) {
        BackendException over = end;
        boolean isOfPool = !(failure instanceof SQLException sql) || sql.getSQLState() == null;
        if (over == null && !closed && (isOfPool || failures.breaksConnection(failure)) && pool.isClosed(failure)) {
            BackendException found = pool.closed(tables.address(), failure);
            over = found;
            change(() -> end = found);
        }
        return over;
    }

    /** Waits until there is a connection for commands. */
    void awaitCommands() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (forCommands == 0) {
                checkEnd();
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Replaces the connection for messages. */
    void lostMessenger(StoreSession session, Throwable cause) {
        change(() -> {
            noteShort();
            hasMessenger = false;
            open.remove(session);
            problem = cause;
        });
        suspect = true;
        tables.missed(cause);
        session.discard();
        LockSupport.unpark(thread);
    }

    /** Returns the connection for messages at the end. */
    void returnMessenger(StoreSession session) {
        change(() -> open.remove(session));
        session.close();
    }

    /** Returns the last failure to connect; {@code null} if none has failed since the last success. */
    @Nullable
    Throwable problem() {
        lock.lock();
        try {
            return problem;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the exception for a failure. */
    BackendException exception(Throwable failure) {
        BackendException over = endOf(failure);
        if (over != null) {
            return over;
        }
        return failure instanceof BackendException known
                ? known
                : failure instanceof SQLException sql
                        ? failures.exception(tables.address(), sql)
                        : unavailable(SqlFailures.told(failure), failure);
    }

    // ================================================================ the thread

    private void run() {
        long pause = FIRST_PAUSE;
        while (!closed && end == null) {
            try {
                if (connectOne()) {
                    pause = FIRST_PAUSE;
                    continue;
                }
                checkIdle();
                LockSupport.parkNanos(this, PING / 2);
            } catch (SQLException | RuntimeException failed) {
                change(() -> problem = failed);
                endOf(failed);
                LockSupport.parkNanos(
                        this, pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2));
                pause = Math.min(LONGEST_PAUSE, pause * 2);
            }
        }
    }

    /** Makes a connection if one is missing. Returns whether one was. */
    private boolean connectOne() throws SQLException {
        boolean forMessages = isMessengerMissing();
        if (!forMessages && !areCommandsMissing()) {
            return false;
        }
        if (pool.isClosed(null)) {
            throw new SQLException("The pool is closed");
        }
        StoreSession session = ConnectAttempt.begin(() -> StoreSession.open(source, tables, timeout), abandoned)
                .await(LONGEST_CONNECT);
        pool.used();
        change(() -> {
            problem = null;
            shortSince = System.nanoTime();
            if (closed) {
                session.close();
            } else if (forMessages) {
                open.add(session);
                hasMessenger = true;
                messenger = session;
            } else {
                open.add(session);
                forCommands++;
                idle.add(session);
            }
        });
        return true;
    }

    /** The first connection is for commands, the second for messages. */
    private boolean isMessengerMissing() {
        lock.lock();
        try {
            return !hasMessenger && forCommands > 0;
        } finally {
            lock.unlock();
        }
    }

    private boolean areCommandsMissing() {
        lock.lock();
        try {
            return forCommands < commands;
        } finally {
            lock.unlock();
        }
    }

    private void checkIdle() {
        boolean all = suspect;
        suspect = false;
        for (int i = 0; i < commands; i++) {
            StoreSession session = idle.poll();
            if (session != null && (all || session.idleNanos() > PING)) {
                check(session);
            } else if (session != null) {
                giveBack(session);
            }
        }
    }

    private void check(StoreSession session) {
        try {
            session.ask();
            session.used();
            giveBack(session);
        } catch (SQLException | RuntimeException broken) {
            lost(session, broken);
        }
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ================================================================ the end

    /**
     * Ends the thread, returns the connections that are not in use, and breaks the others. Waits for that a short time.
     */
    void close(long patienceMillis) {
        closed = true;
        thread.interrupt();
        Thread closer = new Thread(this::closeAll, "boltwork-jdbc-close");
        closer.setDaemon(true);
        closer.start();
        try {
            closer.join(patienceMillis);
            thread.join(patienceMillis / 10 + 1); // it may wait for the data source
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeAll() {
        for (StoreSession session; (session = idle.poll()) != null; ) {
            StoreSession unused = session;
            change(() -> open.remove(unused));
            session.close();
        }
        List<StoreSession> used = new ArrayList<>();
        change(() -> {
            used.addAll(open);
            open.clear();
            changed.signalAll();
        });
        used.forEach(StoreSession::abort);
    }
}
