// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.actuate;

import io.boltwork.LockInfo;
import io.boltwork.LockKind;
import io.boltwork.spi.Printable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/** Logs forced releases and publishes them as audit events. */
public final class ForceLog {
    static final String EVENT = "LOCK_FORCE_RELEASE";

    private static final Log LOG = LogFactory.getLog(LocksEndpoint.class);

    private final ApplicationEventPublisher events;

    public ForceLog(ApplicationEventPublisher events) {
        this.events = events;
    }

    /**
     * Logs and publishes a forced release. {@code before} is a snapshot taken just before the release; by then, the
     * holder may have changed. A {@code client} is named only if the user did.
     */
    void forced(
            @Nullable String user,
            @Nullable String client,
            LockInfo before,
            @Nullable Long fencingToken,
            boolean released) {
        String principal = user == null ? "anonymous" : user;
        String lock = (before.kind() == LockKind.LOCK ? "lock" : before.kind() + " lock") + " '"
                + Printable.text(before.name()) + "' " + (client == null ? "" : "of the client '" + client + "' ");
        String holder = before.holders().isEmpty()
                ? "none"
                : before.holders().stream().map(Object::toString).collect(Collectors.joining("; "));
        LOG.warn(Printable.text("The " + lock
                + (released
                        ? "was taken away from its holder by the user '" + principal + "'"
                        : "was not taken away from its holder, although the user '" + principal + "' requested it")
                + " through the actuator endpoint 'locks'; holder: " + holder
                + (fencingToken == null ? "" : "; requested fencing token: " + fencingToken)));
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("lock", Printable.text(before.name()));
        data.put("kind", before.kind().name());
        data.put("released", released);
        data.put("holder", holder);
        if (client != null) {
            data.put("client", client);
        }
        if (fencingToken != null) {
            data.put("fencingToken", fencingToken);
        }
        events.publishEvent(new AuditApplicationEvent(principal, EVENT, data));
    }
}
