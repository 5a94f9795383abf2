package io.boltwork.machine;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The requests of one lock that the backend knows or may know, the oldest first. Belongs to the lock's machine. */
public final class Requests {

    /** As many are looked at one by one at each event. */
    private static final int FEW = 16;

    /** The only one: seldom are there more, and a lock that is held shall not need a map for it. */
    private @Nullable Request only;

    /** All of them by their numbers once there were several, until there is none. */
    private Map<Long, Request> several = Collections.emptyMap();

    /** All of them once there were more than a few, until there is none. */
    private @Nullable ManyRequests many;

    @Nullable
    Request get(long number) {
        Request request = only;
        if (request != null) {
            return request.number == number ? request : null;
        }
        return many == null ? several.get(number) : many.get(number);
    }

    boolean contains(long number) {
        return get(number) != null;
    }

    /**
     * Adds one that is not among them.
     *
     * @param limit how many commands may be under way at a time
     */
    void add(Request request, int limit) {
        if (many != null) {
            many.add(request);
            return;
        }
        if (isEmpty()) {
            only = request;
            return;
        }
        Request first = only;
        if (first != null) {
            several = new LinkedHashMap<>();
            several.put(first.number, first);
            only = null;
        }
        several.put(request.number, request);
        if (several.size() > Math.min(FEW, limit)) {
            many = new ManyRequests(several.values(), limit);
            several = Collections.emptyMap();
        }
    }

    void remove(Request request) {
        if (only == request) {
            only = null;
        } else if (many != null) {
            many.remove(request);
            if (many.isEmpty()) {
                many = null;
            }
        } else if (several.remove(request.number) != null && several.isEmpty()) {
            several = Collections.emptyMap();
        }
    }

    public boolean isEmpty() {
        return only == null && several.isEmpty() && many == null;
    }

    /** Returns them if they are more than a few, else {@code null}. */
    @Nullable
    public ManyRequests many() {
        return many;
    }

    /** Returns whether a command about that request may be sent now. If not, the request waits in line from now on. */
    boolean admits(Request request) {
        return many == null || many.admits(request);
    }

    /** Returns whether the request waits until fewer commands are under way. */
    boolean isInLine(Request request) {
        return many != null && many.isInLine(request);
    }

    /** Returns whether no command may be sent without waiting in line. */
    boolean isFull() {
        return many != null && many.isFull();
    }

    /** Those there are now; what is done to them may add and remove others. */
    List<Request> all() {
        if (many != null) {
            return many.list();
        }
        return only == null ? List.copyOf(several.values()) : List.of(Objects.requireNonNull(only));
    }

    /** Returns those that may have something to do at that time. The one that is held has times of its own if they are many. */
    List<Request> due(long now, long commandTimeout) {
        return many == null ? all() : many.due(now, commandTimeout);
    }

    /** When the first of them has something to do. The one that is held has times of its own if they are many. */
    long wakeAt(long now, long commandTimeout) {
        if (only != null) {
            return only.wakeAt(commandTimeout);
        }
        if (many != null) {
            return many.wakeAt(now, commandTimeout);
        }
        long at = Ticker.NEVER;
        for (Request request : several.values()) {
            at = Math.min(at, request.wakeAt(commandTimeout));
        }
        return at;
    }

    @Override
    public String toString() {
        return all().toString();
    }
}
