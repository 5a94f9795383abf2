// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Shrunk;
import io.boltwork.spi.rules.LatchRules;
import io.boltwork.spi.rules.LockRules;
import io.boltwork.spi.rules.ShareRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The rules at one moment of the store's clock, and the messages that they cause. The messages are sent if the record
 * is written. Not thread-safe; for one attempt to change one record.
 */
final class StepContext {
    final ServerTime server;

    /** The margin that the uncertainty of the clock adds to commands. */
    final ClockMargin margin;

    private final long micros;
    private final long idleMillis;
    private final Predicate<String> listens;
    private final Map<String, Boolean> listening = new HashMap<>();
    private final List<AddressedMessage> messages = new ArrayList<>();

    /** @param listens asks the store whether a client is alive */
    StepContext(StoreClock clock, long idleMillis, Predicate<String> listens) {
        this.server = clock.earliest();
        this.margin = new ClockMargin(clock.uncertainMillis());
        this.micros = clock.micros();
        this.idleMillis = idleMillis;
        this.listens = listens;
    }

    LockRules lockRules() {
        return new LockRules(server, micros, idleMillis, 0, this::grant, this::sendMessage);
    }

    ShareRules shareRules() {
        return new ShareRules(server, micros, idleMillis, 0, this::grant, this::isListening, this::sendMessage);
    }

    LatchRules latchRules() {
        return new LatchRules(server, micros, this::open);
    }

    /** Returns the messages to clients that fulfil a condition, in the order in which they were caused. */
    List<AddressedMessage> messages(Predicate<String> toClient) {
        return messages.stream()
                .filter(message -> toClient.test(message.client()))
                .toList();
    }

    private boolean grant(Grant grant) {
        String client = RequestId.clientOf(grant.request());
        boolean isListening = isListening(client);
        if (isListening) {
            messages.add(new AddressedMessage(client, StoreMessage.text(grant)));
        }
        return isListening;
    }

    private boolean isListening(String client) {
        return listening.computeIfAbsent(client, listens::test);
    }

    private void sendMessage(HolderMessage message) {
        String client = RequestId.clientOf(message.request());
        if (message instanceof HoldTaken taken) { // a store has no retention
            messages.add(new AddressedMessage(client, StoreMessage.text(taken)));
        } else if (message instanceof Shrunk shrunk) {
            messages.add(new AddressedMessage(client, StoreMessage.text(shrunk)));
        }
    }

    private void open(String client, LatchOpened opened) {
        messages.add(new AddressedMessage(client, StoreMessage.text(opened)));
    }
}
