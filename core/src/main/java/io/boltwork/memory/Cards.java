package io.boltwork.memory;

import io.boltwork.spi.ClientCard;
import io.boltwork.spi.Command;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Who the clients of one server are, by their ids, each until its time is over. */
final class Cards {
    private record Entry(ClientCard card, String nonce, long expiresAt) {}

    private final Map<String, Entry> entries = new TreeMap<>();

    /** Keeps a card in place of an earlier one, whose nonce is returned; for no time at all it is dropped. */
    String put(Command.Announce announce, long millis) {
        dropExpired(millis);
        Entry entry = new Entry(announce.card(), announce.nonce(), millis + announce.lifeMillis());
        Entry before = entries.put(announce.card().id(), entry);
        dropExpired(millis);
        return before == null ? "" : before.nonce;
    }

    /** The cards of those clients that have one, in the order asked for. */
    List<ClientCard> of(List<String> clients, long millis) {
        dropExpired(millis);
        return clients.stream().map(this::card).filter(Objects::nonNull).toList();
    }

    /** The next cards in the order of their clients' ids. */
    Page<ClientCard> page(String cursor, int count, long millis) {
        return Page.of(entries, cursor, count, entry -> entry.expiresAt > millis)
                .map(Entry::card);
    }

    /** The same cards. */
    Cards copy() {
        Cards copy = new Cards();
        copy.entries.putAll(entries);
        return copy;
    }

    /** Forgets all, and takes over others. */
    void become(Cards others) {
        entries.clear();
        entries.putAll(others.entries);
    }

    void clear() {
        entries.clear();
    }

    /** How many are kept. */
    int size() {
        return entries.size();
    }

    private @Nullable ClientCard card(String client) {
        Entry entry = entries.get(client);
        return entry == null ? null : entry.card;
    }

    private void dropExpired(long millis) {
        entries.values().removeIf(entry -> entry.expiresAt <= millis);
    }
}
