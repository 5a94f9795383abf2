// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.redis.RedisBackend;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * Exactly one leader. The holder of the lock leads until the lease is lost: because Redis cannot be reached, because
 * the lock was taken away, or because this process was paused for too long. The next candidate is woken as soon as the
 * lock is free.
 *
 * <p>For a moment, an old leader may not know yet that it is no longer the leader. Its writes have a smaller fencing
 * token, and a resource that checks tokens ({@link Journal}) refuses them.
 */
final class Leader {
    /** The length of the lease, after which a killed leader is replaced. */
    static final LockOptions OPTIONS = LockOptions.renewedLease(Duration.ofSeconds(3));

    private Leader() {}

    /** The work of a leader. */
    interface Duties {
        /** Begins to work in the background, and passes this token with every write. */
        void begin(long fencingToken);

        /** Stops working. */
        void end();
    }

    static void lead(FencedLock leadership, Duties duties) throws InterruptedException {
        // @start region="leader"
        while (true) {
            try (Lease term = leadership.acquireInterruptibly()) { // waits until no other process leads
                CountDownLatch over = new CountDownLatch(1);
                term.whenLost().thenAccept(loss -> over.countDown());
                duties.begin(term.fencingToken());
                try {
                    over.await(); // after an interrupt the work ends, and then the next process leads
                } finally {
                    duties.end();
                }
            } catch (LeaseLostException lost) {
                System.out.println("steps down: " + lost.loss().reason());
            } catch (BackendException away) {
                if (!away.isRetryable()) {
                    throw away; // such as missing rights: waiting does not help
                }
                System.out.println("still waits: " + away.getMessage());
            }
        }
        // @end
    }

    /** Runs one candidate. Argument: its name. */
    public static void main(String[] args) throws IOException, InterruptedException {
        String uri = Instances.redisUri();
        ClientOptions named = ClientOptions.defaults().withApplication(args[0]);
        try (LockClient locks = LockClient.create(RedisBackend.connect(uri, Instances.APART), named);
                Journal journal = new Journal(uri)) {
            lead(locks.lock("leader", OPTIONS), new Clerk(args[0], journal));
        }
    }

    static void demo(String redisUri, PrintStream out) throws InterruptedException {
        out.println("Three candidates (a JVM each). The leader writes to a journal, with its fencing token.");
        try (Instances candidates = new Instances(redisUri);
                LockClient locks = LockClient.create(RedisBackend.connect(redisUri, Instances.APART))) {
            for (String name : new String[] {"ada", "bob", "cyd"}) {
                candidates.start(Leader.class, name);
            }
            String first = nextLeader(candidates, out);
            out.println("-- " + first + " is killed; its lease ends within 3 s");
            candidates.kill(first);
            String second = nextLeader(candidates, out);
            out.println("-- the lock is taken away from " + second + ", which is told within a second");
            locks.inspector().forceRelease("leader");
            boolean follows = false;
            boolean stepsDown = false;
            while (!follows || !stepsDown) { // in either order
                String line = candidates.nextLine();
                out.println(line);
                follows |= line.contains(" leads");
                stepsDown |= line.contains("steps down");
            }
        }
    }

    private static String nextLeader(Instances candidates, PrintStream out) throws InterruptedException {
        while (true) {
            String line = candidates.nextLine();
            out.println(line);
            if (line.contains(" leads")) {
                return line.substring(0, line.indexOf(':'));
            }
        }
    }

    /** Writes to the journal every 20 ms while this process leads. */
    private static final class Clerk implements Duties {
        private final String name;
        private final Journal journal;
        private volatile long token;

        Clerk(String name, Journal journal) {
            this.name = name;
            this.journal = journal;
        }

        @Override
        public void begin(long fencingToken) {
            token = fencingToken;
            System.out.println("leads with token " + fencingToken);
            Thread writer = new Thread(() -> write(fencingToken), "clerk");
            writer.setDaemon(true);
            writer.start();
        }

        private void write(long fencingToken) {
            try {
                for (; token == fencingToken; Thread.sleep(20)) {
                    if (!journal.append(fencingToken, name)) {
                        System.out.println("is refused by the journal");
                        return;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void end() {
            token = 0;
        }
    }
}
