// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The requests of one lock that the backend knows or may know, oldest first. Belongs to the lock's machine. */
public final class Requests {

    /** The largest number of requests that are examined one by one at each event. */
    private static final int FEW = 16;

    /** The only request. More are rare, and a held lock must not need a map. */
    private @Nullable Request only;

    /** All requests by their numbers, once there were several, until none is left. */
    private Map<Long, Request> several = Collections.emptyMap();

    /** All requests, once there were more than a few, until none is left. */
    private @Nullable ManyRequests many;

    @Nullable
    public Request get(long number) {
        Request request = only;
        if (request != null) {
            return request.number == number ? request : null;
        }
        return many == null ? several.get(number) : many.get(number);
    }

    public boolean contains(long number) {
        return get(number) != null;
    }

    /**
     * Adds a request that is not among them.
     *
     * @param limit how many commands may be under way at a time
     */
    public void add(Request request, int limit) {
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

    public void remove(Request request) {
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

    /** Returns the requests if there are more than a few; otherwise {@code null}. */
    @Nullable
    public ManyRequests many() {
        return many;
    }

    /** Returns whether a command about that request may be sent now. If not, the request waits in line from now on. */
    public boolean admits(Request request) {
        return many == null || many.admits(request);
    }

    /** Returns whether the request waits until fewer commands are under way. */
    public boolean isInLine(Request request) {
        return many != null && many.isInLine(request);
    }

    /** Returns whether new commands must wait in line. */
    public boolean isFull() {
        return many != null && many.isFull();
    }

    /** Returns a copy, so that requests may be added and removed meanwhile. */
    public List<Request> all() {
        if (many != null) {
            return many.list();
        }
        return only == null ? List.copyOf(several.values()) : List.of(Objects.requireNonNull(only));
    }

    /** Returns the requests that may have something to do at that time. Among many, the held one is not included. */
    public List<Request> due(long now, long commandTimeout) {
        return many == null ? all() : many.due(now, commandTimeout);
    }

    /** Returns when the first request has something to do. Among many, the held one is not included. */
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
