// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.spi.Printable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/*
 * One thread looks at the store for all pages. Each view that some page shows is looked at once in its interval,
 * however many pages show it, and however often they are loaded. The time between two looks is at least four times the
 * duration of the last one, and ten times for a look that searches all keys, so that the console never keeps a slow
 * store busy. The thread ends when the last page is closed, and the next page starts another one.
 */
/** Looks at the store while pages are open, and gives each page what it shows. */
final class StorePoller implements AutoCloseable {
    /** The pause after a search, as a multiple of its duration. */
    static final int SEARCH_PAUSE_FACTOR = 10;

    private static final int PAUSE_FACTOR = 4;
    private static final View HEALTH = new View.OfHealth();

    /* due by System.nanoTime() */
    private record Look(String event, String json, long due) {}

    private final StoreLooks looks;
    private final int limit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<OpenPage> pages = new HashSet<>();
    private final Map<View, Look> latest = new HashMap<>(); // of the views that are shown, or not due yet
    private boolean running;
    private boolean closed;
    private long lookCount;

    /**
     * Creates a poller.
     *
     * @param limit the largest number of open pages
     */
    StorePoller(LockClient locks, int limit) {
        this.looks = new StoreLooks(locks);
        this.limit = limit;
    }

    /** Registers a page. Returns false if there are too many. */
    boolean open(OpenPage page) {
        lock.lock();
        try {
            if (closed || pages.size() >= limit) {
                return false;
            }
            dropOld(); // the page gets what others have got already
            pages.add(page);
            Stream.of(page.view(), HEALTH)
                    .map(latest::get)
                    .filter(Objects::nonNull)
                    .forEach(look -> page.put(look.event(), look.json()));
            if (running) {
                changed.signalAll();
            } else {
                running = true;
                Thread thread = new Thread(this::run, "boltwork-console-poller");
                thread.setDaemon(true);
                thread.start();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a page. */
    void close(OpenPage page) {
        lock.lock();
        try {
            pages.remove(page);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets the next look at a lock happen at once, because it has just been changed. */
    void hurry() {
        lock.lock();
        try {
            latest.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Forgets the looks that are due again, except those that a page shows. */
    private void dropOld() {
        Set<View> shown = shown();
        long now = System.nanoTime();
        latest.entrySet()
                .removeIf(look ->
                        !shown.contains(look.getKey()) && look.getValue().due() - now <= 0);
    }

    private Set<View> shown() {
        Set<View> shown = new HashSet<>();
        if (running) {
            shown.add(HEALTH);
            pages.forEach(page -> shown.add(page.view()));
        }
        return shown;
    }

    /** Returns how often the store was looked at. */
    long lookCount() {
        lock.lock();
        try {
            return lookCount;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the store is being looked at. */
    boolean isRunning() {
        lock.lock();
        try {
            return running;
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        for (List<View> views = nextViews(); !views.isEmpty(); views = nextViews()) {
            for (View view : views) {
                look(view);
            }
        }
    }

    /** Waits until a look is due. Returns nothing when no page is open. */
    private List<View> nextViews() {
        lock.lock();
        try {
            while (true) {
                if (closed || pages.isEmpty()) {
                    running = false;
                    return List.of();
                }
                dropOld();
                long now = System.nanoTime();
                long wait = Long.MAX_VALUE;
                List<View> ready = new ArrayList<>();
                for (View view : shown()) {
                    Look look = latest.get(view);
                    long left = look == null ? 0 : look.due() - now;
                    if (left <= 0) {
                        ready.add(view);
                    }
                    wait = Math.min(wait, left);
                }
                if (!ready.isEmpty()) {
                    lookCount += ready.size();
                    return ready;
                }
                changed.awaitNanos(wait);
            }
        } catch (InterruptedException impossible) {
            throw new IllegalStateException("a thread of the console's own was interrupted", impossible);
        } finally {
            lock.unlock();
        }
    }

    private void look(View view) {
        long begin = System.nanoTime();
        String event = view.event();
        int pause = view.searches() ? SEARCH_PAUSE_FACTOR : PAUSE_FACTOR;
        String json;
        try {
            json = looks.at(view);
        } catch (RuntimeException failed) { // the next look may succeed
            event = "problem";
            pause = PAUSE_FACTOR;
            json = StoreLooks.problem(message(failed));
        }
        long end = System.nanoTime();
        Look look = new Look(event, json, end + Math.max(view.every().toNanos(), pause * (end - begin)));
        lock.lock();
        try {
            latest.put(view, look);
            for (OpenPage page : pages) {
                if (view.equals(page.view()) || view.equals(HEALTH)) {
                    page.put(look.event(), look.json());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    static String message(RuntimeException failed) {
        String message = failed instanceof BackendException || failed instanceof IllegalArgumentException
                ? String.valueOf(failed.getMessage())
                : failed.toString();
        return Printable.text(message);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            pages.forEach(OpenPage::close);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
