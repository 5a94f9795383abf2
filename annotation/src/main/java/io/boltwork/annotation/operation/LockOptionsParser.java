// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRelease;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.acquire.TargetType;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.LockTexts;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Determines the options of a lock from its annotation, the properties of its group and the defaults. */
final class LockOptionsParser {
    private final LockTexts texts;
    private final LockDefaults defaults;
    private final SettingErrors errors;

    LockOptionsParser(LockTexts texts, LockDefaults defaults, SettingErrors errors) {
        this.texts = texts;
        this.defaults = defaults;
        this.errors = errors;
    }

    LockOptions options(Method method, DistributedLock annotation, @Nullable GroupSettings override, OnLost onLost) {
        HoldSettings held = override == null ? HoldSettings.NONE : override.hold();
        Duration minHold = held.minHold() != null
                ? held.minHold()
                : duration(method, "minHold", annotation.minHold(), defaults.minHold());
        Duration maxHold = held.maxHold() != null
                ? held.maxHold()
                : duration(method, "maxHold", annotation.maxHold(), defaults.maxHold());
        Duration takeoverDelay = held.takeoverDelay() != null
                ? held.takeoverDelay()
                : duration(method, "takeoverDelay", annotation.takeoverDelay(), defaults.takeoverDelay());
        boolean saysOrder = annotation.type() != LockType.DEFAULT && !isReadOrWrite(annotation.type());
        LockType order = saysOrder ? annotation.type() : defaults.type();
        if (override != null && override.type() != null && override.type() != LockType.DEFAULT) {
            order = override.type();
        }
        LockRelease release = annotation.release() == LockRelease.DEFAULT ? defaults.release() : annotation.release();
        if (override != null && override.release() != null && override.release() != LockRelease.DEFAULT) {
            release = override.release();
        }
        Replication replication = held.replication() == null
                        || held.replication().isBlank()
                ? replication(method, annotation)
                : HoldSettings.replication("boltwork.lock.names", held.replication(), held.replicationWithin(), errors);
        try {
            LockOptions options = LockDefaults.options(
                    lease(method, annotation, held), minHold, maxHold, takeoverDelay, order, release, replication);
            Duration retention = duration(method, "retention", annotation.retention(), null);
            options = retention == null ? options : checked(method, "retention", retention, options::withRetention);
            return onLost == OnLost.INTERRUPT ? options.withOnLoss(LockOptions.OnLoss.INTERRUPT) : options;
        } catch (IllegalArgumentException e) {
            throw LockDefinitionException.wrong(
                    method,
                    String.valueOf(e.getMessage()),
                    "Choose durations that fit together, here or in the properties.",
                    e);
        }
    }

    /** Returns the kind of the lock. The properties decide on the order of callers, and the annotation on the kind. */
    TargetType type(Method method, DistributedLock annotation, @Nullable GroupSettings override) {
        LockType type = annotation.type();
        int permits = annotation.permits();
        if (permits == -1) {
            return switch (type) {
                case READ -> TargetType.READ;
                case WRITE -> TargetType.WRITE;
                case DEFAULT, REENTRANT, FAIR -> TargetType.LOCK;
            };
        }
        if (permits < 1) {
            throw LockDefinitionException.wrong(
                    method,
                    "permits = " + permits + ", but a semaphore has 1 permit or more",
                    "Specify the number of callers that may execute the method at a time.",
                    null);
        }
        if (isReadOrWrite(type) || type == LockType.REENTRANT) {
            throw LockDefinitionException.wrong(
                    method,
                    "both permits = " + permits + " and type = " + type + " are specified, but a semaphore "
                            + (isReadOrWrite(type) ? "is no read-write lock" : "is not reentrant"),
                    "Remove one of them.",
                    null);
        }
        return TargetType.semaphore(override != null && override.permits() != null ? override.permits() : permits);
    }

    private LockOptions lease(Method method, DistributedLock annotation, HoldSettings held) {
        Duration fixed = one(method, "leaseTime", annotation.leaseTime(), "lease", annotation.lease());
        Duration renewed = duration(method, "renewedLease", annotation.renewedLease(), null);
        if (fixed != null && renewed != null) {
            throw LockDefinitionException.wrong(
                    method,
                    "both a renewed lease (renewedLease) and a fixed lease (lease, leaseTime) are specified",
                    "Remove one of them.",
                    null);
        }
        if (held.lease() != null) {
            return LockOptions.fixedLease(held.lease());
        }
        if (held.renewedLease() != null) {
            return LockOptions.renewedLease(held.renewedLease());
        }
        if (fixed != null) {
            String attribute = annotation.lease().isEmpty() ? "leaseTime" : "lease";
            return checked(method, attribute, fixed, LockOptions::fixedLease);
        }
        if (renewed != null) {
            return checked(method, "renewedLease", renewed, LockOptions::renewedLease);
        }
        Duration standard = defaults.renewedLease();
        if (defaults.lease() != null) {
            return LockOptions.fixedLease(defaults.lease());
        }
        return standard == null ? LockOptions.defaults() : LockOptions.renewedLease(standard);
    }

    /** Applies a duration; the exception names the attribute. */
    private static LockOptions checked(
            Method method, String attribute, Duration duration, Function<Duration, LockOptions> options) {
        try {
            return options.apply(duration);
        } catch (IllegalArgumentException e) {
            throw LockDefinitionException.wrong(
                    method, attribute + ": " + e.getMessage(), "Choose durations in that range that fit together.", e);
        }
    }

    private @Nullable Replication replication(Method method, DistributedLock annotation) {
        String within = annotation.replicationWithin();
        if (annotation.replication().isEmpty()) {
            if (!within.isEmpty()) {
                throw LockDefinitionException.wrong(
                        method,
                        "replicationWithin = \"" + within + "\" without replication",
                        "Specify both: replication = \"1\", replicationWithin = \"200ms\".",
                        null);
            }
            return defaults.replication();
        }
        String where =
                texts.resolved(method, "replication", annotation.replication()).strip();
        if (where.equals("none")) {
            return null;
        }
        Duration time = duration(method, "replicationWithin", within, null);
        try {
            if (time == null) {
                throw new IllegalArgumentException("replicationWithin is missing");
            }
            return where.equals("disk") ? Replication.onDisk(time) : Replication.atLeast(Integer.parseInt(where), time);
        } catch (IllegalArgumentException e) {
            throw LockDefinitionException.wrong(
                    method,
                    "replication = \"" + annotation.replication() + "\": " + e.getMessage(),
                    "Write replication = \"1\" for one replica or \"disk\" for the server's own disk, and"
                            + " replicationWithin = \"200ms\".",
                    e);
        }
    }

    /** Returns the maximum time to wait; {@code null} for no limit. */
    @Nullable
    Duration waiting(Method method, DistributedLock annotation, @Nullable GroupSettings override, LockMode mode) {
        Duration said = one(method, "waitTime", annotation.waitTime(), "waitFor", annotation.waitFor());
        if (override != null && override.hold().waitFor() != null) {
            said = override.hold().waitFor();
        }
        if (said == null) {
            said = defaults.waitFor();
        }
        return said == null && mode != LockMode.LOCK ? Duration.ZERO : said;
    }

    private @Nullable Duration one(Method method, String number, long seconds, String text, String said) {
        if (seconds < -1) {
            throw LockDefinitionException.wrong(
                    method, number + " = " + seconds + " is negative", "Write a number of seconds, or omit it.", null);
        }
        if (seconds >= 0 && !said.isEmpty()) {
            throw LockDefinitionException.wrong(
                    method,
                    "both " + number + " = " + seconds + " and " + text + " = \"" + said + "\" are specified",
                    "Remove one of them.",
                    null);
        }
        return seconds >= 0 ? Duration.ofSeconds(seconds) : duration(method, text, said, null);
    }

    private @Nullable Duration duration(Method method, String attribute, String said, @Nullable Duration otherwise) {
        if (said.isEmpty()) {
            return otherwise;
        }
        String text = texts.resolved(method, attribute, said).strip();
        try {
            return Durations.parse(text);
        } catch (IllegalArgumentException e) {
            throw LockDefinitionException.wrong(
                    method,
                    attribute + " = \"" + said + "\" is not a duration: " + e.getMessage(),
                    "Write a duration such as 500ms, 30s, 5m or PT30S.",
                    e);
        }
    }

    private static boolean isReadOrWrite(LockType type) {
        return type == LockType.READ || type == LockType.WRITE;
    }
}
