// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import io.boltwork.LockKind;
import io.boltwork.testkit.history.Event.Action;
import io.boltwork.testkit.history.Event.Type;
import io.boltwork.testkit.history.HistoryChecker.Rule;
import io.boltwork.testkit.history.HistoryChecker.Violations;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a history: derives its holds from its events, in order, and checks if they are possible. Not thread-safe.
 */
final class HistoryThread {
    private final Violations violations;
    private final List<RecordedHold> holds = new ArrayList<>();
    private final Map<HoldKey, RecordedHold> current = new HashMap<>();
    private @Nullable Event invoked;
    private @Nullable Event last;

    HistoryThread(Violations violations) {
        this.violations = violations;
    }

    /** The identity of a hold of the thread. The token is 0 where a thread has one hold of a name. */
    private record HoldKey(LockKind kind, String lock, long token) {
        static HoldKey of(Event event) {
            RecordedShare share = event.share();
            return new HoldKey(share.kind(), event.lock(), share.isReentrant() ? 0 : event.token());
        }
    }

    /** Returns all its holds, including those that have ended. */
    Collection<RecordedHold> holds() {
        return holds;
    }

    /** Returns the invocation that has no answer yet, if any. */
    @Nullable
    Event unanswered() {
        return invoked;
    }

    void next(Event event) {
        if (last != null && event.nanos() < last.nanos()) {
            violations.add(Rule.FORM, "time goes backwards", last, event);
        }
        last = event;
        if (event.action() == Action.CHECK) {
            checked(event);
        } else if (event.type() == Type.INVOKE) {
            if (invoked != null) {
                violations.add(Rule.FORM, "a call before the previous one was answered", invoked, event);
            }
            invoked = event;
        } else {
            Event question = invoked;
            if (question == null || !isAnswer(question, event)) {
                violations.add(Rule.FORM, "an answer to nothing", question, event);
                return;
            }
            invoked = null;
            if (event.action() == Action.ACQUIRE) {
                acquired(question, event);
            } else {
                released(question, event);
            }
        }
    }

    private static boolean isAnswer(Event question, Event answer) {
        boolean ofOneHold =
                answer.action() == Action.ACQUIRE || HoldKey.of(question).equals(HoldKey.of(answer));
        return question.action() == answer.action() && question.isOfSameShare(answer) && ofOneHold;
    }

    // ================================================================ acquiring

    private void acquired(Event question, Event answer) {
        if (answer.type() != Type.OK) {
            return;
        }
        RecordedHold hold = current.get(HoldKey.of(answer));
        if (answer.token() <= 0) {
            violations.add(Rule.FORM, "a hold without a token", question, answer);
        } else if (hold == null) {
            begin(question, answer);
        } else if (!answer.share().isReentrant()) {
            violations.add(Rule.TOKENS, "a hold with the token of another one", hold.acquired(), answer);
        } else {
            nest(hold, question, answer);
        }
    }

    private void begin(Event question, Event answer) {
        if (answer.share().weight() > answer.share().capacity()) {
            violations.add(Rule.EXCLUSION, "a hold takes more than there is", question, answer);
        }
        RecordedHold begun = new RecordedHold(question, answer);
        holds.add(begun);
        current.put(HoldKey.of(answer), begun);
    }

    private void nest(RecordedHold hold, Event question, Event answer) {
        if (hold.token() != answer.token()) {
            violations.add(Rule.TOKENS, "a nested hold with a different token", hold.acquired(), answer);
        }
        if (hold.deepen(answer.share())) {
            confirm(hold, question, answer);
        } else {
            violations.add(Rule.FORM, "a reader writes", hold.acquired(), answer);
        }
    }

    // ================================================================ releasing

    private void released(Event question, Event answer) {
        RecordedHold hold = current.get(HoldKey.of(answer));
        if (hold == null || !hold.hasLevel(answer.share())) {
            if (answer.type() != Type.FAIL) {
                violations.add(Rule.FORM, "a release without a hold", question, answer);
            }
            return;
        }
        switch (answer.type()) {
            case OK -> confirm(hold, question, answer);
            case FAIL -> hold.lose();
            default -> {} // the outcome is not known
        }
        hold.unwind(answer.share());
        if (hold.isOver()) {
            current.remove(HoldKey.of(answer));
        } else if (hold.isLeft() && !hold.isLost()) {
            RecordedHold reader = hold.goOn(question);
            holds.add(reader);
            current.put(HoldKey.of(answer), reader);
        }
    }

    // ================================================================ checking

    private void checked(Event check) {
        RecordedHold hold = current.get(HoldKey.of(check));
        boolean has = hold != null && hold.hasLevel(check.share());
        boolean ours = hold != null && hold.token() == check.token();
        if (check.type() == Type.OK) {
            if (hold == null || !has) {
                violations.add(Rule.FORM, "valid without a hold", check);
            } else if (!ours) {
                violations.add(Rule.TOKENS, "valid with a different token", hold.acquired(), check);
            } else {
                confirm(hold, check, check);
            }
        } else if (hold != null && has && ours) {
            hold.lose(); // otherwise the check belongs to a hold that has ended
        }
    }

    /** Records that the hold was valid at the time of one event, according to another one. */
    private void confirm(RecordedHold hold, Event when, Event tells) {
        if (hold.isLost()) {
            violations.add(Rule.VALIDITY, "valid after it was lost", hold.acquired(), tells);
        } else {
            hold.confirm(when);
        }
    }
}
