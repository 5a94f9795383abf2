// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Resize;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Kinds of sequences of commands about a shared lock, most of which make one rare situation frequent. */
final class ShareDifferentialSequences {
    private static final int STEPS = 300;

    /** Seeds that differ by this number have sequences of one kind. */
    static final int KINDS = 13;

    /** The times around which claims, marks, short claims and blockers change, and one microsecond more. */
    private static final List<Long> PAUSES = List.of(
            1_000L, 299_000L, 300_000L, 300_001L, 3_000_000L, 10_000_000L, 14_999_000L, 15_000_000L, 29_999_999L);

    private final ShareDifferentialRun run;
    private final ShareDifferentialCommands commands;

    ShareDifferentialSequences(ShareDifferentialRun run, ShareDifferentialCommands commands) {
        this.run = run;
        this.commands = commands;
    }

    /** Executes the sequence of a seed: one of thirteen kinds, and commands of all sorts. */
    void executeKindOf(long seed) throws Exception {
        switch (Math.floorMod(seed, KINDS)) {
            case 0 -> crowd();
            case 1 -> lapses();
            case 2 -> blockers();
            case 3 -> holes();
            case 4 -> grants();
            case 5 -> budgets();
            case 6 -> claims();
            case 7 -> renewals();
            case 8 -> search();
            case 9 -> next();
            case 10 -> relapses();
            case 11 -> capacities();
            default -> forces();
        }
        for (int i = 0; i < STEPS; i++) {
            move();
            if (commands.oneIn(150)) {
                run.delete();
            }
            run.step(commands.next(run.now(), run::state), commands.oneIn(25));
        }
    }

    private void move() throws Exception {
        List<Inspected.Holder> holders = run.state(commands.lock).holders();
        int dice = commands.below(20);
        if (dice < 10) {
            run.pass(commands.below(2_000));
        } else if (dice < 13) {
            run.pass(commands.below(400_000));
        } else if (dice < 17 && !holders.isEmpty()) { // to an edge of the end of a lease
            run.moveTowards(commands.oneOf(holders).untilMillis() + commands.below(3) - 1);
        } else if (dice == 17) {
            run.pass(5_000_000L * commands.below(7));
        } else if (dice == 18 && commands.oneIn(10)) {
            run.pass(-commands.below(3_000_000));
        } else if (dice == 19 && commands.oneIn(20)) {
            run.pass(TimeUnit.MINUTES.toMicros(8 + commands.below(6)));
        }
    }

    // ================================================================ long queues and many holders

    /** Makes room for many, where the lock is a semaphore. */
    private void resize(int permits) throws Exception {
        resize(commands.lock, permits);
    }

    private void resize(String at, int permits) throws Exception {
        if (commands.kind == LockKind.SEMAPHORE) {
            run.step(new Resize(at, commands.kind, permits));
        }
    }

    /** Returns the weight of a request that does not fit while others hold the lock. */
    private int large(int permits) {
        return commands.kind == LockKind.SEMAPHORE ? permits : commands.capacity;
    }

    private void send(int count, int permits) throws Exception {
        for (int i = 0; i < count; i++) {
            run.send(commands.wish(commands.request(), permits, commands.oneIn(3) ? 5_000 : 60_000));
        }
    }

    private void nudge(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            run.step(commands.nudge());
        }
    }

    /** Fills the lock with more holders and waiters than one command examines. */
    private void crowd() throws Exception {
        resize(400);
        send(260 + commands.below(200), 1);
        if (commands.oneIn(2)) {
            run.pass(5_000_000);
            run.step(commands.wish(commands.request(), large(400)));
        }
        String first = commands.request();
        run.step(commands.wish(first, large(300)));
        send(commands.below(300), 1);
        run.pass(5_000_000);
        run.step(commands.wish(first, large(300)));
        nudge(12);
    }

    /** Executes claims that are not confirmed, several of one client at once, over a few minutes. */
    private void lapses() throws Exception {
        resize(4);
        for (int i = 0; i < STEPS; i++) {
            List<Inspected.Holder> claims = run.state(commands.lock).holders().stream()
                    .filter(Inspected.Holder::claim)
                    .toList();
            if (!claims.isEmpty() && commands.oneIn(3)) {
                run.moveTowards(commands.oneOf(claims).untilMillis());
            } else if (commands.oneIn(3)) {
                run.pass(commands.oneOf(PAUSES));
            }
            run.step(commands.nextOfFew(run.now(), run.state(commands.lock)), commands.oneIn(25));
        }
    }

    /** Executes many claims of few clients that are granted, and mostly lapse, at the same time. */
    private void claims() throws Exception {
        resize(12);
        for (int round = 0; round < 20; round++) {
            String holder = commands.requestOf("alice");
            run.step(commands.wish(holder, large(12)));
            int waiting = 3 + commands.below(9);
            for (int i = 0; i < waiting; i++) {
                String client = commands.oneOf(ShareDifferentialCommands.LISTENERS);
                boolean large = commands.oneIn(6);
                run.send(commands.wish(
                        commands.requestOf(client), large ? large(12) : 1, commands.oneIn(4) ? 250 : 60_000));
            }
            run.step(commands.withdrawal(holder));
            for (int i = 0; i < 4; i++) {
                List<Inspected.Holder> claims = run.state(commands.lock).holders().stream()
                        .filter(Inspected.Holder::claim)
                        .toList();
                if (!claims.isEmpty() && commands.oneIn(4)) {
                    run.step(commands.wish(commands.oneOf(claims).request(), 1));
                }
                if (!claims.isEmpty() && !commands.oneIn(4)) {
                    run.moveTowards(commands.oneOf(claims).untilMillis());
                }
                run.step(
                        switch (commands.below(4)) {
                            case 0 -> commands.wish(commands.request(), commands.oneIn(2) ? 1 : large(12));
                            case 1 -> commands.release();
                            default -> commands.nudge();
                        },
                        commands.oneIn(10));
            }
            run.pass(commands.oneOf(PAUSES));
            for (Inspected.Holder one : run.state(commands.lock).holders()) {
                if (!commands.oneIn(4)) {
                    run.send(commands.withdrawal(one.request()));
                }
            }
        }
    }

    /** Executes a queue whose head is too large and asks again, is silent, is gone, or is too large for ever. */
    private void blockers() throws Exception {
        for (int round = 0; round < 12; round++) {
            resize(6);
            String holder = commands.requestOf("alice");
            run.step(commands.wish(holder, large(4), 200_000));
            String blocker = commands.requestOf(commands.oneIn(4) ? "ghost" : "bob");
            run.step(commands.wish(blocker, large(4 + commands.below(3))));
            List<String> waiting = new ArrayList<>();
            for (int i = 0; i < 2 + commands.below(4); i++) {
                waiting.add(commands.requestOf(commands.oneOf(ShareDifferentialCommands.LISTENERS)));
                run.step(commands.wish(waiting.get(i), commands.oneIn(3) ? large(5) : 1));
            }
            for (int i = 0; i < 8; i++) {
                run.pass(commands.oneOf(PAUSES) * (commands.oneIn(3) ? -1 : 1) / (commands.oneIn(2) ? 1 : 2));
                switch (commands.below(6)) {
                    case 0 -> run.step(commands.wish(blocker, large(5)));
                    case 1 -> run.step(commands.wish(commands.oneOf(waiting), 1));
                    case 2 -> run.step(commands.wish(commands.requestOf("bob"), 1));
                    case 3 -> resize(3 + commands.below(4));
                    default -> nudge(1);
                }
            }
            run.step(commands.withdrawal(holder));
            nudge(2);
        }
    }

    /** Executes a queue of a thousand places with many holes and with marks in it, which is packed and served. */
    private void holes() throws Exception {
        resize(4);
        String holder = commands.requestOf("alice");
        run.step(commands.wish(holder, large(4), 600_000));
        marks();
        String before = "none:0";
        for (int i = 0; i < 1_010 + commands.below(100); i++) {
            String request = commands.requestOf(commands.oneOf(ShareDifferentialCommands.LISTENERS));
            run.send(commands.wish(request, commands.oneIn(4) ? large(2) : 1));
            boolean isFirst = i < 100;
            if (isFirst != commands.oneIn(isFirst ? 8 : 3)) {
                run.send(commands.withdrawal(before));
            }
            before = request;
        }
        for (Inspected.Waiting waiting : run.state(commands.lock).queue()) {
            if (!commands.oneIn(3)) {
                run.send(commands.withdrawal(waiting.request()));
            }
        }
        send(60, 1); // one entry in 50 finds more holes than entries
        run.step(commands.withdrawal(holder));
        for (int i = 0; i < 60; i++) {
            if (commands.oneIn(4)) {
                run.pass(commands.oneOf(PAUSES));
            }
            run.step(commands.oneIn(3) ? commands.wish(commands.request(), 1) : commands.release());
        }
    }

    /** Lets claims lapse while others wait, so that marks and second entries stay in the queue. */
    private void marks() throws Exception {
        String first = commands.requestOf("bob");
        run.step(commands.wish(first, large(4)));
        for (String client : List.of("-carol", "bob", "alice", "-carol", "bob")) {
            run.step(commands.wish(commands.requestOf(client), large(4)));
        }
        Inspected.Holder holder = run.state(commands.lock).holders().get(0);
        run.step(commands.withdrawal(holder.request()));
        for (int i = 0; i < 3; i++) {
            run.pass(commands.oneIn(2) ? LockBackend.CLAIM_MILLIS * 1_000 : LockBackend.SHORT_CLAIM_MILLIS * 1_000);
            nudge(1);
            run.step(commands.wish(commands.requestOf(commands.oneIn(2) ? "bob" : "-carol"), large(4)));
        }
    }

    /** Grants about as many requests in one command as it may grant. */
    private void grants() throws Exception {
        resize(1);
        String holder = commands.requestOf("alice");
        run.step(commands.wish(holder, large(1), 600_000));
        int waiting = LockBackend.GRANTS_PER_STEP - 2 + commands.below(commands.oneIn(2) ? 5 : 200);
        send(waiting, 1);
        if (commands.kind == LockKind.SEMAPHORE) {
            resize(commands.oneIn(3) ? waiting - 1 : waiting + 50);
        } else {
            run.step(commands.withdrawal(holder));
        }
        for (int i = 0; i < 8; i++) {
            if (commands.oneIn(3)) {
                run.pass(commands.oneOf(PAUSES));
            }
            run.step(commands.oneIn(2) ? commands.wish(commands.request(), 1) : commands.nudge());
        }
    }

    /** Executes commands that examine about as many holders and places as they may. */
    private void budgets() throws Exception {
        for (int round = 0; round < 2; round++) {
            run.delete();
            resize(600);
            int most = LockBackend.PLACES_PER_STEP;
            int ended = commands.oneIn(2) ? commands.below(most) : most - 2 + commands.below(5);
            for (int i = 0; i < ended; i++) {
                run.send(commands.wish(commands.request(), 1, 5_000));
            }
            int holders = commands.oneIn(2) ? 0 : commands.below(10);
            for (int i = 0; i < holders; i++) {
                run.send(commands.wish(commands.request(), 1, 60_000));
            }
            if (commands.oneIn(4)) { // tombstones and markers
                for (int i = 0; i < 5; i++) {
                    run.send(commands.release());
                }
            }
            String first = commands.requestOf("bob");
            run.step(commands.wish(first, large(600)));
            int gone = Math.max(0, most - ended - holders - 3 + commands.below(commands.oneIn(2) ? 6 : 300));
            for (int i = 0; i < gone; i++) {
                run.send(commands.wish(commands.requestOf("ghost"), 1));
            }
            run.step(commands.wish(commands.requestOf("-carol"), large(600)));
            run.step(commands.wish(commands.requestOf("alice"), 1));
            run.pass(5_000_000);
            if (commands.oneIn(2)) {
                run.step(commands.withdrawal(first));
            }
            for (int i = 0; i < 6; i++) {
                run.step(
                        switch (commands.below(4)) {
                            case 0 -> commands.wish(commands.request(), commands.oneIn(2) ? 1 : large(600));
                            case 1 -> commands.release();
                            default -> commands.nudge();
                        });
            }
        }
    }

    /** Renews holds of two locks in one command. They become smaller, and the queues of both locks are served by it. */
    private void renewals() throws Exception {
        List<String> locks = List.of(commands.lock, commands.other);
        for (int round = 0; round < 20; round++) {
            for (String at : locks) {
                resize(at, 6);
                run.step(commands.wish(at, commands.requestOf("alice"), large(6), 60_000));
                for (int i = 0; i < 2 + commands.below(4); i++) {
                    run.step(commands.wish(at, commands.request(), commands.oneIn(4) ? large(4) : 1, 60_000));
                }
            }
            if (commands.oneIn(2)) { // the end of the first lease passes
                run.pass(40_000_000);
                run.step(commands.renewal(false));
                run.pass(25_000_000);
            }
            for (int i = 0; i < 4; i++) {
                run.step(commands.renewal(true));
                if (commands.oneIn(3)) {
                    run.pass(commands.oneOf(PAUSES));
                }
                run.step(
                        switch (commands.below(4)) {
                            case 0 -> commands.wish(commands.oneOf(locks), commands.request(), large(6), 60_000);
                            case 1 -> commands.release();
                            default -> commands.nudge();
                        });
            }
            run.pass(commands.oneIn(2) ? 60_000_000 : 0);
        }
    }

    /** Turns the clock back while a search for holds that have ended is under way, and releases all holds then. */
    private void search() throws Exception {
        resize(400);
        List<String> holders = new ArrayList<>();
        for (int i = 0; i < LockBackend.PLACES_PER_STEP + commands.below(10); i++) {
            holders.add(commands.request());
            run.send(commands.wish(holders.get(i), 1, 60_000));
        }
        holders.add(commands.request());
        run.step(commands.wish(holders.get(holders.size() - 1), 1, 5_000));
        boolean buries = commands.oneIn(3);
        if (buries) {
            run.step(commands.burial(run.now() + 4_000));
        }
        run.pass(5_000_000);
        nudge(1);
        run.pass(-2_000_000);
        int passed = LockBackend.PLACES_PER_STEP - 1; // the last entry takes a place that the search has just passed
        run.step(commands.release(holders.get(passed)));
        if (buries) {
            holders.remove(passed);
        } else {
            holders.set(passed, holders.remove(holders.size() - 1));
        }
        while (!holders.isEmpty()) {
            int last = holders.size() - 1;
            int next = commands.oneIn(20) ? commands.below(holders.size()) : last;
            Command.Release release = commands.release(holders.remove(next));
            if (last < 2 || commands.oneIn(25)) {
                run.step(release);
            } else {
                run.send(release);
            }
        }
    }

    /** Releases holds for next requests that may be late, and may hold the lock or wait for it already. */
    private void next() throws Exception {
        resize(6);
        for (int round = 0; round < 40; round++) {
            String mine = commands.requestOf("alice");
            String next = commands.requestOf(commands.oneOf(ShareDifferentialCommands.LISTENERS));
            run.step(commands.wish(mine, 1));
            if (!commands.oneIn(4)) {
                run.step(commands.wish(next, commands.oneIn(2) ? 1 : large(6)));
            }
            if (commands.oneIn(4)) {
                run.step(commands.wish(commands.request(), large(6)));
            }
            if (commands.oneIn(4)) {
                run.step(commands.late(next, run.now() - 1));
            }
            if (run.state(commands.lock).holders().stream()
                    .anyMatch(one -> one.request().equals(mine))) {
                run.step(commands.release(mine, next, commands.oneIn(2) ? Long.MAX_VALUE : run.now() - 1));
            }
            run.pass(70_000_000); // ends all
        }
    }

    /**
     * Lets several short claims of two clients lapse in one call, after which some wait again and some do not count.
     */
    private void relapses() throws Exception {
        for (int round = 0; round < 12; round++) {
            run.delete();
            resize(12);
            String holder = commands.requestOf("alice");
            run.step(commands.wish(holder, large(12)));
            run.step(commands.wish(commands.requestOf("bob"), large(12)));
            run.step(commands.withdrawal(holder));
            run.pass(LockBackend.CLAIM_MILLIS * 1_000);
            nudge(1); // from now on claims are short
            holder = commands.requestOf("alice");
            run.step(commands.wish(holder, large(12)));
            String stays = commands.requestOf("alice");
            run.step(commands.wish(stays, 4));
            List<Command.Acquire> waiting = new ArrayList<>(List.of(commands.wish(commands.requestOf("alice"), 5)));
            for (int i = 0; i < 3; i++) {
                waiting.add(commands.wish(commands.requestOf("bob"), 1));
            }
            commands.shuffle(waiting);
            for (Command.Acquire wish : waiting) {
                run.step(wish);
            }
            run.step(commands.wish(commands.requestOf("-carol"), commands.oneIn(4) ? 1 : large(8)));
            run.step(commands.withdrawal(holder));
            run.step(commands.wish(stays, 4));
            run.pass(LockBackend.SHORT_CLAIM_MILLIS * 1_000);
            nudge(2);
        }
    }

    /**
     * Lets holders and waiters learn of another capacity by the commands of others, once for more than may be granted.
     */
    private void capacities() throws Exception {
        List<String> before = List.of();
        for (int round = 0; round < 25; round++) {
            boolean isCrowd = round == 0;
            run.delete();
            List<String> requests = new ArrayList<>();
            for (int i = 0; i < 3 + commands.below(4); i++) { // some were granted before they were forgotten
                requests.add(before.isEmpty() || !commands.oneIn(3) ? commands.request() : commands.oneOf(before));
                run.step(commands.wish(requests.get(i), commands.oneIn(2) ? 1 : commands.capacity));
            }
            before = requests;
            if (isCrowd) {
                send(LockBackend.GRANTS_PER_STEP + 5, 1);
            }
            long set = run.now() * 1_000;
            List<Inspected.Holder> holders = run.state(commands.lock).holders();
            if (isCrowd && !holders.isEmpty() && !commands.oneIn(4)) {
                run.step(commands.wish(commands.oneOf(holders).request(), 1, 250, set++));
            }
            for (int i = 0; i < 3; i++) {
                String request = commands.oneIn(4) ? commands.request() : commands.oneOf(requests);
                int permits = commands.oneIn(2) ? 1 : commands.capacity;
                int of = isCrowd ? 250 : 1 + commands.below(10);
                run.step(
                        switch (commands.below(4)) {
                            case 0 -> commands.renewal(request, of, set);
                            case 1 -> commands.restore(request, of, set);
                            default -> commands.wish(request, permits, of, set);
                        });
                set += commands.below(2);
                run.pass(commands.oneIn(4) ? 60_000_000 : 1_000);
            }
        }
    }

    /** Takes the lock by force from one holder or from all, some of whose leases have ended, and frees kept parts. */
    private void forces() throws Exception {
        for (int round = 0; round < 25; round++) {
            run.delete();
            resize(6);
            List<String> holders = new ArrayList<>();
            for (int i = 0; i < 2 + commands.below(4); i++) {
                holders.add(commands.requestOf(commands.oneOf(ShareDifferentialCommands.LISTENERS)));
                run.step(commands.wish(holders.get(i), 1, commands.oneIn(3) ? 5_000 : 60_000));
            }
            if (commands.oneIn(2)) {
                run.step(commands.keep(holders.remove(0), 20_000));
            }
            if (commands.oneIn(2)) {
                run.step(commands.wish(commands.request(), large(6)));
            }
            run.pass(commands.oneIn(2) ? 5_000_000 : 1_000);
            for (int i = 0; i < 2; i++) {
                run.step(commands.force(commands.oneIn(3) ? null : commands.oneOf(holders)));
                run.pass(1_000);
            }
            run.step(commands.renewal(false));
        }
    }
}
