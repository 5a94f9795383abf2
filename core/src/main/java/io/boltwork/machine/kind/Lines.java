// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.kind;

import io.boltwork.machine.parts.Asking;
import io.boltwork.machine.parts.Withdrawing;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.OwnerRef;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.LockState;
import io.boltwork.machine.state.Waiters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of a shared lock. Those with equal terms wait in one line, and a request of the line that is granted
 * serves the first of them. A try, and a waiter whose hold no other may have, has a request of its own at once.
 */
final class Lines extends Waiters {
    /** Waiters with equal terms, in order of arrival, and the requests that ask for them. */
    static final class Line {
        final LockTerms terms;
        final Waiters waiters = new Waiters();

        /** The requests, oldest first: not more than there are waiters, once the surplus is withdrawn. */
        final Set<Request> wanted = new LinkedHashSet<>();

        private Line(LockTerms terms) {
            this.terms = terms;
        }

        boolean isUnused() {
            return waiters.isEmpty() && wanted.isEmpty();
        }
    }

    /** The lines that are kept for waiters to come; more are forgotten once they are unused. */
    private static final int KEPT = 4;

    private final Shared kind;
    private final Map<LockTerms, Line> lines = new LinkedHashMap<>();

    /** The waiters with requests of their own that wait for no other of this client. */
    private final Waiters alone = new Waiters();

    private long arrivals;
    private int inLines;
    private int wanted;

    /** True if a line may have more requests than waiters. */
    private boolean hasSurplus;

    Lines(Shared kind) {
        this.kind = kind;
    }

    private boolean isAlone(Waiter waiter) {
        return kind.isLined(waiter.terms)
                && !waiter.hasOwnRequest()
                && (waiter.tryOnly || !kind.areAlike(waiter.terms));
    }

    private boolean isInLine(Waiter waiter) {
        return kind.isLined(waiter.terms) && !needsRequest(waiter);
    }

    private Line line(LockTerms terms) {
        Line line = lines.get(terms);
        if (line == null) {
            if (lines.size() >= KEPT) {
                lines.values().removeIf(Line::isUnused);
            }
            line = new Line(terms);
            lines.put(terms, line);
        }
        return line;
    }

    // ================================================================ waiters

    @Override
    public void add(Waiter waiter) {
        arrivals = isEmpty() ? 0 : arrivals + 1;
        waiter.arrival = arrivals;
        if (isInLine(waiter)) {
            line(waiter.terms).waiters.add(waiter);
            inLines++;
        } else if (isAlone(waiter)) {
            alone.add(waiter);
        } else {
            super.add(waiter);
        }
    }

    @Override
    public boolean remove(Waiter waiter) {
        if (!contains(waiter)) {
            return false;
        }
        if (isInLine(waiter)) {
            line(waiter.terms).waiters.remove(waiter);
            inLines--;
            hasSurplus = true;
            return true;
        }
        return isAlone(waiter) ? alone.remove(waiter) : super.remove(waiter);
    }

    @Override
    public boolean needsRequest(Waiter waiter) {
        return waiter.hasOwnRequest() || isAlone(waiter);
    }

    @Override
    public boolean isPolledFor(Request request) {
        Waiter waiter = request.waiter;
        return waiter != null && !isAlone(waiter);
    }

    @Override
    public Waiter of(Request request) {
        Line line = request.waiter == null ? lines.get(request.terms) : null;
        Waiter first = line == null ? null : line.waiters.first();
        return first == null ? super.of(request) : first;
    }

    @Override
    public @Nullable Waiter poll(long until) {
        for (Line line : lines.values()) {
            Waiter waiter = line.waiters.poll(until);
            if (waiter != null) {
                inLines--;
                hasSurplus = true;
                return waiter;
            }
        }
        Waiter waiter = alone.poll(until);
        return waiter == null ? super.poll(until) : waiter;
    }

    @Override
    public List<Waiter> all(Predicate<Waiter> isMeant) {
        List<Waiter> found = new ArrayList<>(super.all(isMeant));
        found.addAll(alone.all(isMeant));
        lines.values().forEach(line -> found.addAll(line.waiters.all(isMeant)));
        return found;
    }

    @Override
    public boolean hasAnyOf(OwnerRef owner) {
        return super.hasAnyOf(owner)
                || alone.hasAnyOf(owner)
                || lines.values().stream().anyMatch(line -> line.waiters.hasAnyOf(owner));
    }

    @Override
    public List<Waiter> withRequests() {
        List<Waiter> all = new ArrayList<>(super.withRequests());
        all.addAll(alone.withRequests());
        return all;
    }

    @Override
    public boolean isEmpty() {
        return super.isEmpty() && inLines == 0 && alone.isEmpty();
    }

    @Override
    public int size() {
        return super.size() + inLines + alone.size();
    }

    /** Returns whether no waiter is in a line. */
    boolean areEmpty() {
        return inLines == 0;
    }

    // ================================================================ lines

    /** Returns the line whose first waiter came first, of those that have a waiter and are meant. */
    @Nullable
    Line first(Predicate<Line> isMeant) {
        Line first = null;
        Waiter earliest = null;
        for (Line line : lines.values()) {
            Waiter waiter = line.waiters.first();
            if (waiter != null && (earliest == null || waiter.arrival < earliest.arrival) && isMeant.test(line)) {
                first = line;
                earliest = waiter;
            }
        }
        return first;
    }

    /** Returns the first line with more waiters than requests; {@code null} if there is none. */
    @Nullable
    Line unrepresented() {
        return wanted >= inLines ? null : first(line -> line.wanted.size() < line.waiters.size());
    }

    List<Line> all() {
        return List.copyOf(lines.values());
    }

    /** Returns how many requests ask for waiters in lines. */
    int wanted() {
        return wanted;
    }

    boolean wants(Request request) {
        Line line = lines.get(request.terms);
        return line != null && line.wanted.contains(request);
    }

    void wantsNoLonger(Request request) {
        Line line = lines.get(request.terms);
        if (line != null && line.wanted.remove(request)) {
            wanted--;
        }
    }

    /** Returns whether a request of a line is in the server's queue. */
    boolean isQueued() {
        Request first = firstWanted();
        return first != null && first.known;
    }

    /** Returns the oldest request of a line; {@code null} if there is none. */
    @Nullable
    Request firstWanted() {
        for (Line line : lines.values()) {
            if (!line.wanted.isEmpty()) {
                return line.wanted.iterator().next();
            }
        }
        return null;
    }

    /** Returns the oldest request of a waiter that waits for no other; {@code null} if there is none. */
    @Nullable
    Request firstAlone() {
        return alone.oldest();
    }

    // ================================================================ asking

    /** Creates a request for a line, which has a waiter without one. */
    Request request(LockState lock, Line line) {
        Waiter first = line.waiters.first();
        if (first == null) {
            throw new IllegalArgumentException("no waiter in line");
        }
        Request request = lock.newRequest(first);
        line.wanted.add(request);
        wanted++;
        return request;
    }

    /** Asks for one more waiter of a line. */
    void ask(LockState lock, Line line) {
        Asking.ask(lock, request(lock, line));
    }

    /** Withdraws the newest requests of lines that have fewer waiters. */
    void withdrawSurplus(LockState lock) {
        if (!hasSurplus) {
            return;
        }
        hasSurplus = false;
        for (Line line : lines.values()) {
            if (line.wanted.size() > line.waiters.size()) {
                List<Request> requests = List.copyOf(line.wanted);
                for (int i = requests.size() - 1; i >= line.waiters.size(); i--) {
                    line.wanted.remove(requests.get(i));
                    wanted--;
                    Withdrawing.withdraw(lock, requests.get(i));
                }
            }
        }
    }

    /** Forgets what an error has left half done. */
    void mend(LockState lock) {
        inLines = 0;
        wanted = 0;
        for (Line line : all()) {
            line.wanted.removeIf(request -> !lock.requests.contains(request.number));
            inLines += line.waiters.size();
            wanted += line.wanted.size();
        }
        hasSurplus = true;
    }
}
