package io.boltwork.spring;

import io.boltwork.LockInfo;
import io.boltwork.spi.Printable;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/** Logs forced releases and publishes them as audit events. */
final class ForceLog {
    static final String EVENT = "LOCK_FORCE_RELEASE";

    private static final Log LOG = LogFactory.getLog(LocksEndpoint.class);

    private final ApplicationEventPublisher events;

    ForceLog(ApplicationEventPublisher events) {
        this.events = events;
    }

    /** {@code before} is the lock as it was a moment earlier, so its holder may have been another one. */
    void forced(@Nullable String user, LockInfo before, @Nullable Long fencingToken, boolean released) {
        String principal = user == null ? "anonymous" : user;
        String holder = before.holder().map(Object::toString).orElse("none");
        LOG.warn(Printable.text("The lock '" + before.name() + "' "
                + (released ? "was taken from its holder" : "was to be taken from its holder, but was not,")
                + " through the endpoint locks by the user '" + principal + "'; holder: " + holder
                + (fencingToken == null ? "" : "; asked for fencing token " + fencingToken)));
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("lock", Printable.text(before.name()));
        data.put("released", released);
        data.put("holder", holder);
        if (fencingToken != null) {
            data.put("fencingToken", fencingToken);
        }
        events.publishEvent(new AuditApplicationEvent(principal, EVENT, data));
    }
}
