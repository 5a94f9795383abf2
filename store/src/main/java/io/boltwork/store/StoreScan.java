// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.LockKind;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.NamePattern;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.rules.LockReports;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists locks and clients, page by page. A cursor of clients is the last name of the page before, after a mark. A
 * cursor of locks has the number of their kind in addition. Not thread-safe.
 */
final class StoreScan {

    /** The mark of a cursor, which is not empty even if the name is. */
    private static final String AFTER = ">";

    private final RecordStore store;
    private final RecordSteps steps;

    StoreScan(RecordStore store, RecordSteps steps) {
        this.store = store;
        this.steps = steps;
    }

    /** Returns a page of the locks of one kind. The next page is of the next kind when there are no more. */
    QueryReply.ScannedLocks locks(Query.ScanLocks command) {
        LockKind only = command.kind();
        String cursor = command.cursor();
        LockKind kind = only != null ? only : LockKind.LOCK;
        String after = "";
        if (!cursor.isEmpty()) {
            int end = cursor.indexOf(AFTER);
            kind = LockKind.values()[Integer.parseInt(cursor, 0, end, 10)];
            after = cursor.substring(end + 1);
        }
        StoredPage page = store.scan(RecordKey.Kind.of(kind), after, Math.max(1, command.count()));
        NamePattern names = new NamePattern(command.pattern());
        List<QueryReply.ScannedLocks.Lock> found = new ArrayList<>();
        for (StoredPage.Named named : page.records()) {
            if (names.matches(named.name())) {
                summary(kind, named, page.clock()).ifPresent(found::add);
            }
        }
        return new QueryReply.ScannedLocks(
                page.clock().latest().earliest(), found, next(kind, only, page, Math.max(1, command.count())));
    }

    private static String next(LockKind kind, @Nullable LockKind only, StoredPage page, int count) {
        if (page.records().size() >= count) {
            return kind.ordinal()
                    + AFTER
                    + page.records().get(page.records().size() - 1).name();
        }
        boolean isLast = only != null || kind.ordinal() == LockKind.values().length - 1;
        return isLast ? "" : kind.ordinal() + 1 + AFTER;
    }

    private Optional<QueryReply.ScannedLocks.Lock> summary(LockKind kind, StoredPage.Named named, StoreClock clock) {
        StepContext context = steps.context(clock.latest());
        RecordKey key = new RecordKey(RecordKey.Kind.of(kind), named.name());
        StoredText stored = new StoredText(named.text(), 0, clock);
        return kind == LockKind.LOCK
                ? LockReports.summary(named.name(), RecordFormat.LOCK.of(key, stored), context.server)
                : context.shareRules()
                        .inspect(RecordFormat.SHARED.of(key, stored))
                        .summary(kind, named.name());
    }

    /** Returns a page of the clients. */
    QueryReply.ScannedClients clients(Query.ScanClients command) {
        int count = Math.max(1, command.count());
        String after = command.cursor().isEmpty() ? "" : command.cursor().substring(AFTER.length());
        StoredPage page = store.scan(RecordKey.Kind.CLIENT, after, count);
        List<ClientRecord> found = new ArrayList<>();
        for (StoredPage.Named named : page.records()) {
            ClientDirectory.read(named.name(), named.text(), page.clock())
                    .ifPresent(client -> found.add(client.card()));
        }
        String cursor = page.records().size() < count
                ? ""
                : AFTER + page.records().get(page.records().size() - 1).name();
        return new QueryReply.ScannedClients(page.clock().earliest(), found, cursor);
    }
}
