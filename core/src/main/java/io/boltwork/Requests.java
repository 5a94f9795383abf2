package io.boltwork;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The requests of one lock that the backend knows or may know, the oldest first. Belongs to the lock's machine. */
final class Requests {

    /** The only one: seldom are there more, and a lock that is held shall not need a map for it. */
    private @Nullable Request only;

    /** All of them by their numbers once there were several, until there is none. */
    private Map<Long, Request> several = Collections.emptyMap();

    @Nullable
    Request get(long number) {
        Request request = only;
        return request == null ? several.get(number) : request.number == number ? request : null;
    }

    boolean contains(long number) {
        return get(number) != null;
    }

    /** One that is not among them. */
    void add(Request request) {
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
    }

    void remove(Request request) {
        if (only == request) {
            only = null;
        } else if (several.remove(request.number) != null && several.isEmpty()) {
            several = Collections.emptyMap();
        }
    }

    boolean isEmpty() {
        return only == null && several.isEmpty();
    }

    /** Those there are now; what is done to them may add and remove others. */
    List<Request> all() {
        return only == null ? List.copyOf(several.values()) : List.of(Objects.requireNonNull(only));
    }

    /** When the first of them has something to do. */
    long wakeAt(long commandTimeout) {
        if (only != null) {
            return only.wakeAt(commandTimeout);
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
