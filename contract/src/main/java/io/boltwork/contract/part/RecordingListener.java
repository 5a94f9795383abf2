// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.part;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockListener;
import io.boltwork.testkit.wait.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records all events. Thread-safe. */
public class RecordingListener implements LockListener {
    public final List<Record> events = new CopyOnWriteArrayList<>();

    public static RecordingListener listenTo(ContractPart.Party party) {
        RecordingListener ear = new RecordingListener();
        party.client().addListener(ear);
        return ear;
    }

    public void heard(Record event) {
        events.add(event);
    }

    public <T extends Record> List<T> all(Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Returns the only event of that kind. */
    public <T extends Record> T the(Class<T> kind) {
        assertThat(all(kind)).hasSize(1);
        return all(kind).get(0);
    }

    /** Returns the first event of that kind; waits for it. */
    public <T extends Record> T await(Class<T> kind) {
        Await.until(kind.getSimpleName() + " among " + events, () -> !all(kind).isEmpty());
        return all(kind).get(0);
    }

    public void awaits(int number) {
        Await.until(number + " events", () -> events.size() >= number);
    }

    public void heardInOrder(Class<?>... kinds) {
        List<Class<?>> heard = new ArrayList<>();
        events.forEach(event -> heard.add(event.getClass()));
        assertThat(heard).isEqualTo(List.of(kinds));
    }

    /** Asserts the kinds of all events, in order, ignoring events of the backend. */
    public void heardOfLocksInOrder(Class<?>... kinds) {
        Set<Class<?>> ofBackend =
                Set.of(BackendDown.class, BackendUp.class, BackendRecovered.class, BackendWarning.class);
        List<Class<?>> heard = new ArrayList<>();
        events.forEach(event -> heard.add(event.getClass()));
        heard.removeAll(ofBackend);
        assertThat(heard).isEqualTo(List.of(kinds));
    }

    @Override
    public void waited(Waited event) {
        heard(event);
    }

    @Override
    public void acquired(Acquired event) {
        heard(event);
    }

    @Override
    public void handedOver(HandedOver event) {
        heard(event);
    }

    @Override
    public void released(Released event) {
        heard(event);
    }

    @Override
    public void lost(Lost event) {
        heard(event);
    }

    @Override
    public void restored(Restored event) {
        heard(event);
    }

    @Override
    public void abandoned(Abandoned event) {
        heard(event);
    }

    @Override
    public void releaseFailed(ReleaseFailed event) {
        heard(event);
    }

    @Override
    public void backendDown(BackendDown event) {
        heard(event);
    }

    @Override
    public void backendUp(BackendUp event) {
        heard(event);
    }
}
