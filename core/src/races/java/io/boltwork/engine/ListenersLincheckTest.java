// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static io.boltwork.engine.Interleavings.check;
import static io.boltwork.engine.Interleavings.together;

import io.boltwork.LockListener;
import io.boltwork.engine.client.CallbackQueue;
import io.boltwork.engine.client.Listeners;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("interleavings")
class ListenersLincheckTest {

    @Test
    void aListenerHearsAllEventsOnceWhileOthersComeAndGo() {
        Interleavings.of(60, () -> {
            Listeners listeners = new Listeners();
            CallbackQueue callbacks = new CallbackQueue(Runnable::run);
            LockListener stays = new LockListener() {};
            LockListener goes = new LockListener() {};
            LockListener comes = new LockListener() {};
            listeners.add(goes);
            listeners.add(stays);
            AtomicInteger heard = new AtomicInteger();
            AtomicInteger heardByOthers = new AtomicInteger();
            together(
                    () -> listeners.notifyListeners(
                            listener -> {
                                (listener == stays ? heard : heardByOthers).incrementAndGet();
                                throw new IllegalStateException("on purpose");
                            },
                            callbacks::run),
                    () -> {
                        listeners.remove(goes);
                        listeners.add(comes, Runnable::run);
                    },
                    () -> check(!listeners.isEmpty(), "no listener is left"));
            check(heard.get() == 1, "not heard, or twice");
            check(heardByOthers.get() <= 2, "heard twice");
        });
    }
}
