// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.boltwork.BusyLock;
import io.boltwork.ClientHealth;
import io.boltwork.ClientInfo;
import io.boltwork.LockInfo;
import io.boltwork.LockSummary;
import io.boltwork.spi.NodeStatus;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Writes locks, clients and servers as JSON: times in ISO 8601, durations in milliseconds. Fencing tokens are strings,
 * since JavaScript's numbers have too few digits for them. The same objects go to scripts and to the console's page.
 */
public final class JsonWriter implements Closeable {
    private static final JsonFactory JSON = new JsonFactory();

    private final JsonGenerator to;

    private JsonWriter(JsonGenerator to) {
        this.to = to;
    }

    /** Writes indented text. Closing it does not close the target. */
    public static JsonWriter pretty(Writer target) throws IOException {
        DefaultIndenter unixLines = new DefaultIndenter("  ", "\n");
        JsonGenerator generator = generator(target);
        generator.setPrettyPrinter(
                new DefaultPrettyPrinter().withObjectIndenter(unixLines).withArrayIndenter(unixLines));
        return new JsonWriter(generator);
    }

    /** Writes text without line breaks. Closing it does not close the target. */
    public static JsonWriter compact(Writer target) throws IOException {
        return new JsonWriter(generator(target));
    }

    private static JsonGenerator generator(Writer target) throws IOException {
        return JSON.createGenerator(target).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    }

    /** Writes the members of an object. */
    public interface Members {
        void write() throws IOException;
    }

    /** Writes an object. */
    public void object(Members members) throws IOException {
        to.writeStartObject();
        members.write();
        to.writeEndObject();
    }

    /** Writes a member that is an object. */
    public void object(String name, Members members) throws IOException {
        to.writeFieldName(name);
        object(members);
    }

    /** Writes one element of an array. */
    public interface Element<T> {
        void write(T element) throws IOException;
    }

    /** Writes an array. */
    public <T> void array(Iterable<T> elements, Element<T> each) throws IOException {
        to.writeStartArray();
        for (T element : elements) {
            each.write(element);
        }
        to.writeEndArray();
    }

    /** Writes a member that is an array. */
    public <T> void array(String name, Iterable<T> elements, Element<T> each) throws IOException {
        to.writeFieldName(name);
        array(elements, each);
    }

    /** Writes a text, as an element of an array. */
    public void text(String value) throws IOException {
        to.writeString(value);
    }

    /** Writes a member that is a text. */
    public void text(String name, String value) throws IOException {
        to.writeStringField(name, value);
    }

    /** Writes a member that is a number. */
    public void number(String name, long value) throws IOException {
        to.writeNumberField(name, value);
    }

    /** Writes a member that is a number with a fraction. */
    public void number(String name, double value) throws IOException {
        to.writeNumberField(name, value);
    }

    /** Writes a member that is true or false. */
    public void flag(String name, boolean value) throws IOException {
        to.writeBooleanField(name, value);
    }

    /** Writes a member that is a time. */
    public void time(String name, Instant value) throws IOException {
        text(name, value.toString());
    }

    /** Writes a member that is a duration, in milliseconds. */
    public void millis(String name, Duration value) throws IOException {
        number(name, value.toMillis());
    }

    /** Writes a member that is a fencing token. */
    public void token(String name, long value) throws IOException {
        text(name, Long.toString(value));
    }

    /** Writes a lock of a list. */
    public void lock(LockSummary lock) throws IOException {
        object(() -> summary(lock));
    }

    /** Writes the members of a lock of a list. */
    public void summary(LockSummary lock) throws IOException {
        text("kind", lock.kind().name());
        text("name", lock.name());
        text("state", lock.state().name());
        number("holders", lock.holders());
        number("permits", lock.permits());
        token("fencingToken", lock.fencingToken());
        millis("remainingMillis", lock.remaining());
        number("waiting", lock.waiting());
    }

    /** Writes a lock with its holders and its queue. */
    public void lock(LockInfo lock) throws IOException {
        object(() -> {
            text("kind", lock.kind().name());
            text("name", lock.name());
            text("state", lock.state().name());
            number("capacity", lock.capacity());
            millis("remainingMillis", lock.remaining());
            token("fence", lock.fence());
            time("at", lock.at());
            number("waitingCallers", WaitingCallers.of(lock));
            array("holders", lock.holders(), holder -> holder(lock, holder));
            array("queue", lock.queue(), waiting -> waiting(lock, waiting));
        });
    }

    private void holder(LockInfo lock, LockInfo.Holder holder) throws IOException {
        object(() -> {
            text("request", holder.request());
            optionalClient(holder.client());
            text("access", holder.access().name());
            number("permits", holder.permits());
            time("since", holder.since());
            token("fencingToken", holder.fencingToken());
            millis("remainingMillis", holder.remaining());
            flag("confirmed", !holder.claim());
            number("waitingCallers", WaitingCallers.in(holder.client(), lock));
        });
    }

    private void waiting(LockInfo lock, LockInfo.Waiting waiting) throws IOException {
        object(() -> {
            number("position", waiting.position());
            text("request", waiting.request());
            optionalClient(waiting.client());
            text("access", waiting.access().name());
            number("permits", waiting.permits());
            millis("waitedMillis", waiting.waited());
            number("callers", Math.max(1, WaitingCallers.in(waiting.client(), lock)));
        });
    }

    private void optionalClient(Optional<ClientInfo> client) throws IOException {
        to.writeFieldName("client");
        if (client.isPresent()) {
            client(client.get());
        } else {
            to.writeNull();
        }
    }

    /** Writes a client. */
    public void client(ClientInfo client) throws IOException {
        object(() -> {
            text("id", client.id());
            text("application", client.application());
            text("host", client.host());
            number("pid", client.pid());
            time("since", client.since());
            number("wireVersion", client.wireVersion());
            array("busiest", client.busiest(), this::busy);
        });
    }

    private void busy(BusyLock lock) throws IOException {
        object(() -> {
            text("kind", lock.kind().name());
            text("name", lock.name());
            number("turns", lock.turns());
            number("waiting", lock.waiting());
            millis("waitedMillis", lock.waited());
            millis("heldMillis", lock.held());
        });
    }

    /** Writes the health of a client and its servers. */
    public void health(ClientHealth health) throws IOException {
        object(() -> {
            flag("connected", health.connected());
            flag("usable", health.usable());
            array("nodes", health.nodes(), this::node);
            array("warnings", health.warnings(), this::text);
        });
    }

    private void node(NodeStatus node) throws IOException {
        object(() -> {
            text("address", node.address());
            text("role", node.role().name());
            flag("reachable", node.reachable());
            number("latencyMillis", node.latency().toNanos() / 1e6);
            text("version", node.version());
            text("problem", node.problem());
        });
    }

    @Override
    public void close() throws IOException {
        to.close();
    }
}
