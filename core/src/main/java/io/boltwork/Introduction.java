package io.boltwork;

import io.boltwork.spi.ClientCard;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Lets whoever looks at the locks know who this client is: once every 20 s, to be remembered for a minute. Nothing depends on
 * it, so what is not answered is not repeated.
 */
final class Introduction {

    private static final long LIFE_MILLIS = TimeUnit.MINUTES.toMillis(1);
    private static final long EVERY = TimeUnit.SECONDS.toNanos(20);

    private final Engine engine;
    private final ClientCard card;

    Introduction(Engine engine, ClientCard card) {
        this.engine = engine;
        this.card = card;
    }

    /** The card of a client of this JVM. */
    static ClientCard card(String id, String application) {
        return new ClientCard(
                id,
                application,
                host(),
                ProcessHandle.current().pid(),
                System.currentTimeMillis(),
                LockBackend.WIRE_VERSION);
    }

    private static String host() {
        Map<String, String> environment = System.getenv();
        String named = environment.getOrDefault("HOSTNAME", environment.getOrDefault("COMPUTERNAME", ""));
        if (!named.isBlank()) {
            return named; // no question to a name server
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            return "unknown";
        }
    }

    void begin() {
        again();
        engine.scheduler.schedule(
                () -> {
                    if (!engine.isClosed()) {
                        begin();
                    }
                },
                EVERY);
    }

    void again() {
        engine.backend.send(new Command.Announce(card, LIFE_MILLIS), reply -> {
            if (engine.backend.partitions() == 1) {
                engine.heard(0, reply); // else it is kept wherever its key belongs
            }
        });
    }

    /** The client is closed. */
    Outcome<Reply> end() {
        Outcome<Reply> done = new Outcome<>();
        engine.backend.send(new Command.Announce(card, 0), done::decide);
        return done;
    }
}
