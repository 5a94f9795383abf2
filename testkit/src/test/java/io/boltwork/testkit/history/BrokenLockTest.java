// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.LeavesNothingBehind;
import io.boltwork.testkit.history.Event.Action;
import io.boltwork.testkit.history.Event.Type;
import io.boltwork.testkit.history.HistoryChecker.Rule;
import io.boltwork.testkit.history.HistoryChecker.Verdict;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.RespConnection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A common homemade lock: SET NX PX acquires it, DEL releases it, and nothing tells its holder when its time has ended.
 * The histories of two JVMs that use it on a real Redis reveal its errors.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class BrokenLockTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String LOCK = "broken";

    @AutoClose
    private final RedisServer redis = RedisServer.start();

    @RegisterExtension
    final LeavesNothingBehind nothing = new LeavesNothingBehind(() -> redis);

    @TempDir
    Path directory;

    /**
     * Acquires the lock with the lease (in ms) that it reads, and releases it at the next line. Takes URI, directory,
     * name.
     */
    static final class User {
        public static void main(String[] args) throws IOException {
            URI uri = URI.create(args[0]);
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            try (RespConnection redis = new RespConnection(uri.getHost(), uri.getPort(), PATIENCE);
                    HistoryWriter history = HistoryWriter.open(Path.of(args[1]), args[2])) {
                System.out.println("ready");
                String lease = in.readLine();
                history.write(Action.ACQUIRE, Type.INVOKE, LOCK, 0);
                while (redis.call("SET", LOCK, args[2], "NX", "PX", lease) == null) {
                    Thread.onSpinWait();
                }
                long token = (Long) Objects.requireNonNull(redis.call("INCR", "tokens"));
                history.write(Action.ACQUIRE, Type.OK, LOCK, token);
                System.out.println("locked " + token);
                in.readLine();
                history.write(Action.RELEASE, Type.INVOKE, LOCK, 0);
                redis.call("DEL", LOCK);
                history.write(Action.RELEASE, Type.OK, LOCK, 0);
                System.out.println("unlocked");
            }
        }
    }

    private ChildJvm user(String name) {
        return nothing.closing(ChildJvm.start(User.class, redis.uri(), directory.toString(), name));
    }

    private static void tell(ChildJvm user, String what, String answer) throws InterruptedException {
        user.send(what);
        assertThat(user.nextLine(PATIENCE)).isEqualTo(answer);
    }

    @Test
    void overstayedLeasesAndForeignDeletionsAreDetected() throws InterruptedException {
        List<ChildJvm> users = List.of(user("a"), user("b"), user("c"));
        for (ChildJvm user : users) {
            assertThat(user.nextLine(PATIENCE)).isEqualTo("ready");
        }
        tell(users.get(0), "50", "locked 1");
        tell(users.get(1), "600000", "locked 2"); // after the first lease has ended
        tell(users.get(0), "unlock", "unlocked"); // deletes the second user's hold
        tell(users.get(2), "600000", "locked 3");
        tell(users.get(1), "unlock", "unlocked");
        tell(users.get(2), "unlock", "unlocked");
        Verdict verdict = HistoryChecker.check(History.read(directory));
        System.out.println(verdict);
        assertThat(verdict.violations()).hasSize(2).allMatch(violation -> violation.rule() == Rule.EXCLUSION);
    }
}
