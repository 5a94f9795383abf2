// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Leadership;
import io.boltwork.LeadershipListener;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.redis.RedisBackend;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;

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

    /** Runs one candidate. Argument: its name. */
    public static void main(String[] args) throws IOException {
        String uri = Instances.redisUri();
        ClientOptions named = ClientOptions.defaults().withApplication(args[0]);
        try (LockClient locks = LockClient.create(RedisBackend.connect(uri, Instances.APART), named);
                Journal journal = new Journal(uri);
                Leadership leadership = stand(locks, journal, args[0])) {
            System.in.read(); // until this process is killed
        }
    }

    /** Stands for election, and writes to the journal every 20 ms while this process leads. */
    static Leadership stand(LockClient locks, Journal journal, String name) {
        // @start region="leader"
        FencedLock lock = locks.lock("leader", OPTIONS);
        return Leadership.of(lock, new LeadershipListener() {
            @Override
            public void elected(Lease lease) throws InterruptedException { // on a thread of its own
                System.out.println("leads with token " + lease.fencingToken());
                while (lease.isValid() && journal.append(lease.fencingToken(), name)) {
                    Thread.sleep(20);
                }
            }

            @Override
            public void revoked(Revocation revocation) {
                System.out.println("steps down: " + revocation.reason());
            }
        });
        // @end
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
}
