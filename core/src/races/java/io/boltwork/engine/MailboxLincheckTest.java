// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static io.boltwork.engine.Interleavings.check;
import static io.boltwork.engine.Interleavings.together;

import io.boltwork.engine.client.ErrorFlagOwner;
import io.boltwork.engine.drive.Mailbox;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("interleavings")
class MailboxLincheckTest {

    private static final int NEVER = Integer.MAX_VALUE;

    /** Records the events. It has no synchronization of its own, because the mailbox must provide it. */
    private static final class EventRecorder extends Mailbox<EventRecorder, ErrorFlagOwner> {
        final List<Integer> events = new ArrayList<>();
        private final int retireAt;
        private final int longestDrain;
        private int inside;
        boolean settled;
        boolean retired;

        /** Creates a mailbox that retires after {@code retireAt} events. */
        EventRecorder(int retireAt) {
            this(retireAt, NEVER);
        }

        EventRecorder(int retireAt, int longestDrain) {
            super(new ErrorFlagOwner() {});
            this.retireAt = retireAt;
            this.longestDrain = longestDrain;
        }

        boolean post(int event) {
            return post(recorder -> recorder.happens(event));
        }

        private void happens(int event) {
            enter();
            settled = false;
            events.add(event);
            inside--;
        }

        private void enter() {
            inside++;
            check(inside == 1, "two at a time");
            check(!retired, "after the end");
        }

        @Override
        public boolean settled() {
            enter();
            settled = true;
            inside--;
            return events.size() >= retireAt;
        }

        @Override
        public List<Thread> sleepers() {
            return List.of();
        }

        @Override
        public void broken(Throwable defect) {
            throw new AssertionError(defect);
        }

        @Override
        public void resumed() {
            throw new AssertionError("nothing was cut short");
        }

        @Override
        public void handOn() {} // the test does it

        @Override
        public int longestDrain() {
            return longestDrain;
        }

        @Override
        public void retired() {
            enter();
            retired = true;
        }
    }

    @Test
    void eventsHappenOnceInOrderAndOneAtATime() {
        Interleavings.of(60, () -> {
            EventRecorder recorder = new EventRecorder(NEVER);
            together(
                    () -> {
                        recorder.post(1);
                        recorder.post(2);
                    },
                    () -> {
                        recorder.post(11);
                        recorder.post(12);
                    });
            check(recorder.events.size() == 4, "an event is lost, or has happened twice");
            check(recorder.events.indexOf(1) < recorder.events.indexOf(2), "out of order");
            check(recorder.events.indexOf(11) < recorder.events.indexOf(12), "out of order");
            check(recorder.settled, "an event after the last settling");
        });
    }

    @Test
    void aDrainThatIsHandedOnContinuesInOneOtherThread() {
        Interleavings.of(60, () -> {
            EventRecorder recorder = new EventRecorder(NEVER, 1);
            together(
                    () -> {
                        recorder.post(1);
                        recorder.resume();
                    },
                    () -> {
                        recorder.post(11);
                        recorder.post(12);
                        recorder.post(13);
                    });
            for (int i = 0; i < 3; i++) {
                recorder.resume();
            }
            check(recorder.events.size() == 4, "an event is lost, or has happened twice");
            check(recorder.events.indexOf(11) < recorder.events.indexOf(12), "out of order");
            check(recorder.events.indexOf(12) < recorder.events.indexOf(13), "out of order");
            check(recorder.settled, "an event after the last settling");
        });
    }

    @Test
    void anEventPostedFromWithinHappensAfterwards() {
        Interleavings.of(60, () -> {
            EventRecorder recorder = new EventRecorder(NEVER);
            together(
                    () -> recorder.post(d -> {
                        d.post(2);
                        d.happens(1);
                    }),
                    () -> recorder.post(11));
            check(recorder.events.size() == 3, "an event is lost, or has happened twice");
            check(recorder.events.indexOf(1) < recorder.events.indexOf(2), "out of order");
        });
    }

    @Test
    void noPostIsLostWhenAMailboxRetires() {
        Interleavings.of(60, () -> {
            AtomicReference<EventRecorder> current = new AtomicReference<>(new EventRecorder(1));
            EventRecorder first = current.get();
            together(() -> postSomewhere(current, 1), () -> postSomewhere(current, 11));
            EventRecorder second = current.get();
            check(first.retired && second.retired, "not retired");
            int happened = first.events.size() + (second == first ? 0 : second.events.size());
            check(happened == 2, "an event is lost, or has happened twice");
            check(!first.post(3), "taken after the end");
        });
    }

    /** Posts as the engine does: if the mailbox is retired, to its successor. */
    private static void postSomewhere(AtomicReference<EventRecorder> current, int event) {
        for (; ; ) {
            EventRecorder recorder = current.get();
            if (recorder.post(event)) {
                return;
            }
            current.compareAndSet(recorder, new EventRecorder(1));
        }
    }
}
